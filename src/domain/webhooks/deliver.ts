/** The delivery of webhooks: sends what is due for an endpoint, and records the results. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.js';
import { transaction, type Pool } from '../../db/pool.js';
import { decryptSecret } from '../../mail/secrets.js';
import { networkOf } from '../executions/webhook/guard.js';
import { toBody } from './body.js';
import { isProcessBusy } from './busy.js';
import { reportDisabled } from './disable.js';

import { afterFailure, HEALTHY, isProbing, nextAttemptAt, type Health } from './health.js';
import { openConnections, post, type Connections } from './post.js';
import {
  becomeIdle,
  countWaiting,
  findDeliveringEndpoint,
  recordResults,
  selectDue,
  storeHealth,
  type DeliveringEndpoint,
  type DeliveryResult,
  type DueDelivery,
} from './sql/queue.js';

/** Requests to an endpoint in flight. As many may be repeated after a crash. */
const CONCURRENCY = 8;
const PAGE_SIZE = 100;
/** After a success, this worker looks for more for a while: a poke through Temporal costs much more. */
const LINGER_MS = 1000;
const LINGER_STEP_MS = 50;
/**
 * While this process is busy, each of the concurrent requests is followed by a pause: at most 80 deliveries per second. A
 * campaign at full speed is then hardly slower than without webhooks.
 */
const BUSY_PAUSE_MS = 100;
/** Then the Temporal workflow shows the progress. */
const MAX_TURN_MS = 20_000;

/** Where an endpoint stands after a turn. */
export interface DeliveryState {
  /** When something is due, in milliseconds since 1970; null: after a poke. */
  nextAt: number | null;
  /** At most MAX_COUNTED + 1. */
  waiting: number;
  failingSince: string | null;
  enabled: boolean;
}

/**
 * Delivers what is due for an endpoint until nothing is, or for a while.
 *
 * @param now the time of the Temporal workflow, in milliseconds since 1970
 * @param signal ends the turn after the requests in flight
 * @returns null if the endpoint was deleted
 */
export async function deliverDue(
  ctx: Context,
  endpointId: string,
  now: number,
  signal: AbortSignal,
): Promise<DeliveryState | null> {
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  const clock = (): Date => new Date(now + elapsed());
  let succeededAt: number | null = null;
  for (;;) {
    const endpoint = await findDeliveringEndpoint(ctx.pool, endpointId);
    if (!endpoint) return null;
    const toState = async (nextAt: Date | null): Promise<DeliveryState> => ({
      nextAt: nextAt?.getTime() ?? null,
      waiting: await countWaiting(ctx.pool, endpointId),
      failingSince: endpoint.failingSince?.toISOString() ?? null,
      enabled: endpoint.enabled,
    });
    if (signal.aborted || elapsed() > MAX_TURN_MS) return toState(clock());
    const isOpen = endpoint.enabled && !(endpoint.pausedUntil && endpoint.pausedUntil > clock());
    const due = isOpen ? await selectDue(ctx.pool, endpointId, clock(), PAGE_SIZE) : [];
    if (due.length > 0) {
      if (await deliverPage(ctx, endpoint, due, { clock, signal })) succeededAt = elapsed();
      continue;
    }
    if (!isOpen || succeededAt === null || elapsed() - succeededAt > LINGER_MS) {
      const rest = await becomeIdle(ctx.pool, endpointId, clock());
      if (rest) return toState(rest.nextAt);
    }
    await sleep(LINGER_STEP_MS);
  }
}

interface Turn {
  clock: () => Date;
  signal: AbortSignal;
}

/** Sends a page of deliveries. It ends early when the endpoint has to be left alone. @returns whether one has arrived */
async function deliverPage(
  ctx: Context,
  endpoint: DeliveringEndpoint,
  due: DueDelivery[],
  turn: Turn,
): Promise<boolean> {
  const recorder = createRecorder(ctx.pool, endpoint.id);
  const secrets = secretsOf(ctx, endpoint, turn.clock());
  const connections = openConnections(onceResolved(networkOf(ctx)), endpoint.url, CONCURRENCY);
  const queue = [...due];
  let health: Health = { ...endpoint, disabledReason: null };
  let succeededAt: Date | null = null;
  const mayContinue = (): boolean =>
    !turn.signal.aborted &&
    health.disabledReason === null &&
    !(health.pausedUntil && health.pausedUntil > turn.clock());

  const sendSome = async (): Promise<void> => {
    while (mayContinue()) {
      const delivery = queue.shift();
      if (!delivery) return;
      const result = await attempt(connections, { url: endpoint.url, secrets, delivery, clock: turn.clock });
      if (result.outcome === 'success') {
        health = HEALTHY;
        succeededAt = turn.clock();
      } else if (result.outcome === 'failure') health = afterFailure(health, result.failure, turn.clock());
      const { outcome, row } = result;
      const ended = outcome === 'failure' && row.status === 'PENDING' ? 'retry' : row.status.toLowerCase();
      ctx.metrics.webhooks.inc({ outcome: ended });
      if (row.attempt) ctx.metrics.webhookRequest.observe({ outcome: ended }, row.attempt.durationMs / 1000);
      // The request's place is free after its result is recorded, so that a crash repeats no more than those.
      await recorder.add(result.row);
      if (isProcessBusy()) await sleep(BUSY_PAUSE_MS);
    }
  };
  try {
    const width = isProbing(endpoint) ? 1 : CONCURRENCY;
    await Promise.all(Array.from({ length: width }, sendSome));
  } finally {
    connections.close();
  }
  await transaction(ctx.pool, async (tx) => {
    await storeHealth(tx, endpoint.id, health, succeededAt);
    if (health.disabledReason !== null) await reportDisabled(tx, ctx.config, endpoint, health.disabledReason);
  });
  if (health.disabledReason !== null) ctx.wake('emails');
  return succeededAt !== null;
}

interface Attempt {
  url: string;
  secrets: string[];
  delivery: DueDelivery;
  clock: () => Date;
}

type AttemptResult = { row: DeliveryResult } & (
  | { outcome: 'success' | 'discarded' }
  | { outcome: 'failure'; failure: Parameters<typeof afterFailure>[1] }
);

async function attempt(connections: Connections, { url, secrets, delivery, clock }: Attempt): Promise<AttemptResult> {
  const body = toBody(delivery);
  const { id } = delivery;
  if (body === null)
    return {
      outcome: 'discarded',
      row: { eventId: id, status: 'DISCARDED', nextAttemptAt: null, attempt: null },
    };
  const at = clock();
  const { isSuccess, retryAfterMs, ...answer } = await post(connections, { url, id, body, secrets });
  const logged = { at: at.toISOString(), ...answer };
  if (isSuccess)
    return { outcome: 'success', row: { eventId: id, status: 'DELIVERED', nextAttemptAt: null, attempt: logged } };
  const next = nextAttemptAt(delivery.attempts + 1, retryAfterMs, clock());
  return {
    outcome: 'failure',
    failure: { statusCode: answer.statusCode, retryAfterMs },
    row: { eventId: id, status: next ? 'PENDING' : 'FAILED', nextAttemptAt: next, attempt: logged },
  };
}

/** The current secret first, and the previous one until it expires. */
export const secretsOf = (
  { config }: Pick<Context, 'config'>,
  {
    secret,
    previousSecret,
    previousSecretUntil,
  }: Pick<DeliveringEndpoint, 'secret' | 'previousSecret' | 'previousSecretUntil'>,
  now: Date,
): string[] =>
  [secret, previousSecretUntil && previousSecretUntil > now ? previousSecret : null]
    .filter((sealed) => sealed !== null)
    .map((sealed) => decryptSecret(config.SECRET_KEY, sealed));

/** Resolves each name once. */
function onceResolved(network: ReturnType<typeof networkOf>): ReturnType<typeof networkOf> {
  const known = new Map<string, Promise<string[]>>();
  return {
    ...network,
    resolve(host) {
      const found = known.get(host) ?? network.resolve(host);
      known.set(host, found);
      return found;
    },
  };
}

interface Recorder {
  /** Resolves when the result is stored. */
  add: (result: DeliveryResult) => Promise<void>;
}

/** Results that arrive during a statement are stored together by the next one. */
function createRecorder(pool: Pool, endpointId: string): Recorder {
  let waiting: Array<{ result: DeliveryResult; resolve: () => void; reject: (error: unknown) => void }> = [];
  let isRecording = false;
  const record = async (): Promise<void> => {
    isRecording = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await recordResults(
          pool,
          endpointId,
          batch.map(({ result }) => result),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRecording = false;
  };
  return {
    add: (result) =>
      new Promise((resolve, reject) => {
        waiting.push({ result, resolve, reject });
        if (!isRecording) void record();
      }),
  };
}
