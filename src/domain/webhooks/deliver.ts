/** The delivery of webhooks: sends what is due for an endpoint, and records the results. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.js';
import { transaction, type Pool } from '../../db/pool.js';
import { decryptSecret } from '../../mail/secrets.js';
import { networkOf } from '../executions/webhook/guard.js';
import { toBody } from './body.js';
import { isProcessBusy } from './busy.js';
import { reportDisabled } from './disable.js';
import { afterFailure, afterSuccess, isProbing, nextAttemptAt, type Health } from './health.js';
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
/** Then no more requests begin, and the Temporal workflow shows the progress. */
const MAX_TURN_MS = 20_000;
/** How long an endpoint's row is used. After a change by a user, requests as before begin for no longer. */
const MAX_ROW_AGE_MS = 1000;

/** Where an endpoint stands after a turn. */
export interface DeliveryState {
  /** When something is due, in milliseconds since 1970; null: after a poke. */
  nextAt: number | null;
  /** At most MAX_COUNTED + 1. */
  waiting: number;
  failingSince: string | null;
  enabled: boolean;
  /** Whether nothing is sent until `nextAt`. Deliveries then poke no one. */
  paused: boolean;
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
    const toState = async (nextAt: Date | null, paused: boolean): Promise<DeliveryState> => ({
      nextAt: nextAt?.getTime() ?? null,
      waiting: await countWaiting(ctx.pool, endpointId),
      failingSince: endpoint.failingSince?.toISOString() ?? null,
      enabled: endpoint.enabled,
      paused,
    });
    const isOver = (): boolean => signal.aborted || elapsed() > MAX_TURN_MS;
    if (isOver()) return toState(clock(), false);
    const isOpen = endpoint.enabled && !(endpoint.pausedUntil && endpoint.pausedUntil > clock());
    // The first success of an endpoint that fails resumes normal delivery.
    const pageSize = isProbing(endpoint) ? 1 : PAGE_SIZE;
    const due = isOpen ? await selectDue(ctx.pool, endpointId, clock(), pageSize) : [];
    if (due.length > 0) {
      if (await deliverPage(ctx, endpoint, due, { clock, isOver })) succeededAt = elapsed();
      continue;
    }
    if (!isOpen || succeededAt === null || elapsed() - succeededAt > LINGER_MS) {
      const rest = await becomeIdle(ctx.pool, endpointId, clock());
      if (rest) return toState(rest.nextAt, rest.isPaused);
    }
    await sleep(LINGER_STEP_MS);
  }
}

interface Turn {
  clock: () => Date;
  isOver: () => boolean;
}

/**
 * Sends a page of deliveries. It ends early when the turn is over, when the endpoint has to be left alone, and when a user has
 * disabled it or changed its URL.
 *
 * @returns whether one has arrived
 */
async function deliverPage(
  ctx: Context,
  endpoint: DeliveringEndpoint,
  due: DueDelivery[],
  turn: Turn,
): Promise<boolean> {
  const recorder = createRecorder(ctx.pool, endpoint.id);
  const readEndpoint = createReader(ctx, endpoint);
  const connections = openConnections(onceResolved(networkOf(ctx)), endpoint.url, CONCURRENCY);
  const queue = [...due];
  let health: Health = { ...endpoint, disabledReason: null };
  let succeededAt: Date | null = null;
  const mayContinue = (): boolean =>
    !turn.isOver() && health.disabledReason === null && !(health.pausedUntil && health.pausedUntil > turn.clock());

  const sendSome = async (): Promise<void> => {
    while (mayContinue()) {
      const current = await readEndpoint();
      const isSame = current?.enabled && current.renewedAt?.getTime() === endpoint.renewedAt?.getTime();
      const delivery = isSame && mayContinue() ? queue.shift() : undefined;
      if (!current || !delivery) return;
      const secrets = secretsOf(ctx, current, turn.clock());
      const result = await attempt(connections, { url: current.url, secrets, delivery, clock: turn.clock });
      if (result.outcome === 'success') {
        health = afterSuccess(health, turn.clock());
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
    await Promise.all(Array.from({ length: CONCURRENCY }, sendSome));
  } finally {
    connections.close();
  }
  await transaction(ctx.pool, async (tx) => {
    const isStored = await storeHealth(tx, endpoint, health, succeededAt);
    if (isStored && health.disabledReason !== null)
      await reportDisabled(tx, ctx.config, endpoint, health.disabledReason);
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
  const { id, dueAt } = delivery;
  if (body === null)
    return {
      outcome: 'discarded',
      row: { eventId: id, dueAt, status: 'DISCARDED', nextAttemptAt: null, attempt: null },
    };
  const at = clock();
  const { isSuccess, retryAfterMs, ...answer } = await post(connections, { url, id, body, secrets });
  const logged = { at: at.toISOString(), ...answer };
  if (isSuccess)
    return {
      outcome: 'success',
      row: { eventId: id, dueAt, status: 'DELIVERED', nextAttemptAt: null, attempt: logged },
    };
  const next = nextAttemptAt(delivery.attempts + 1, retryAfterMs, clock());
  return {
    outcome: 'failure',
    failure: { statusCode: answer.statusCode, retryAfterMs },
    row: { eventId: id, dueAt, status: next ? 'PENDING' : 'FAILED', nextAttemptAt: next, attempt: logged },
  };
}

/** Returns a function that reads the endpoint's row again when the last reading is too old. It returns null after a deletion. */
function createReader(ctx: Context, endpoint: DeliveringEndpoint): () => Promise<DeliveringEndpoint | null> {
  let readAt = performance.now();
  let row = Promise.resolve<DeliveringEndpoint | null>(endpoint);
  return () => {
    if (performance.now() - readAt > MAX_ROW_AGE_MS) {
      readAt = performance.now();
      row = findDeliveringEndpoint(ctx.pool, endpoint.id);
    }
    return row;
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
