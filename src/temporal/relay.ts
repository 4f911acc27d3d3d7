/**
 * The outbox relay: a stream of intents to Temporal, in their order per workflow id.
 *
 * Pokes, starts and cancellations have lanes of their own, each with a bounded number under way. What a lane has room
 * for is claimed as it becomes free: a slow intent holds up nobody, and a burst of one kind no other kind. At least
 * once, and harmless when repeated: already started, not found and already closed count as done.
 */
import { Client, isGrpcServiceError, WorkflowNotFoundError, type WorkflowStartOptions } from '@temporalio/client';
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy, type SearchAttributePair } from '@temporalio/common';
import { backoffMs } from '../backoff.js';
import type { Context } from '../context.js';
import {
  claimIntents,
  postponeIntent,
  type Intent,
  type Lane,
  type OutboxRow,
  type StartIntent,
} from '../db/outbox.js';
import type { Pace } from '../domain/executions/pace.js';
import { createPause } from '../pause.js';
import { within } from '../trace.js';
import { SEARCH_ATTRIBUTES } from './ids.js';

/** Intents under way at most; of starts as many as the pace says. */
const LANES = { signal: 50, cancel: 20 } as const;
const ACTIONS = ['signal', 'start', 'cancel'] as const;

const LEASE_SECONDS = 30;
/** A look at the outbox without a wake-up, in milliseconds. */
const POLL = 1000;
/** What ends within this time is recorded by one statement, which claims for all its room. */
const TOGETHER = 10;
/** How long nothing is claimed once Temporal or the database could not be reached. */
const OUTAGE = 1000;

/**
 * What gRPC answers when it is the server and not the request: cancelled, deadline exceeded, resource exhausted,
 * unavailable.
 */
const UNREACHABLE = new Set<unknown>([1, 4, 8, 14]);

export interface Relay {
  wake: () => void;
  /** Claims nothing more; resolves when what is under way has ended and is recorded. */
  stop: () => Promise<void>;
}

export function startRelay(ctx: Context, client: Client, pace: Pace): Relay {
  const relay = new Stream(ctx, client, pace);
  const running = relay.run();
  return {
    wake: () => relay.wake(),
    async stop() {
      relay.end();
      await running;
    },
  };
}

class Stream {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #pace: Pace;
  readonly #sleep = createPause();
  readonly #underWay = { signal: 0, start: 0, cancel: 0 };
  /** Those under way: should one outlive its lease, it is not carried twice at once. */
  readonly #held = new Set<number>();
  /** Carried, and not yet recorded. */
  #done: number[] = [];
  /** There may be something due that the last claim has not seen. */
  #wanted = true;
  /** Something has ended: its room can be filled. */
  #room = false;
  /** More may end until the timer fires. */
  #gathering = false;
  #outageUntil = 0;
  #ending = false;

  constructor(ctx: Context, client: Client, pace: Pace) {
    this.#ctx = ctx;
    this.#client = client;
    this.#pace = pace;
  }

  wake(): void {
    this.#wanted = true;
    this.#sleep.end();
  }

  end(): void {
    this.#ending = true;
    this.#sleep.end();
  }

  async run(): Promise<void> {
    for (let looked = 0; ;) {
      if (Date.now() - looked >= POLL) this.#wanted = true;
      const lanes = this.#lanes();
      const record = this.#done.length > 0 && (this.#room || this.#ending);
      if (record || (lanes.length > 0 && (this.#wanted || this.#room))) {
        await this.#look(lanes);
        looked = Date.now();
        continue;
      }
      if (this.#ending && this.#held.size === 0 && this.#done.length === 0) return;
      await this.#sleep.wait(POLL);
    }
  }

  /** The lanes with room. */
  #lanes(): Lane[] {
    if (this.#ending || Date.now() < this.#outageUntil) return [];
    const most = { ...LANES, start: this.#pace.limit() };
    return ACTIONS.map((action) => ({ action, room: most[action] - this.#underWay[action] })).filter(
      ({ room }) => room > 0,
    );
  }

  /** One statement: records what has ended, and claims. */
  async #look(lanes: Lane[]): Promise<void> {
    const done = this.#done;
    this.#done = [];
    // Without a lane to look into, it is to be looked later.
    this.#wanted &&= lanes.length === 0;
    this.#room = false;
    try {
      const rows = await claimIntents(this.#ctx.pool, { done, lanes, leaseSeconds: LEASE_SECONDS });
      for (const row of rows) if (!this.#held.has(row.id)) void this.#carry(row);
      // Everybody had a share of the room: what others left of theirs is to be had as well.
      const came = (lane: Lane): number => rows.filter(({ payload }) => payload.action === lane.action).length;
      if (lanes.some((lane) => came(lane) > 0 && came(lane) < lane.room)) this.#wanted = true;
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'The relay can not reach the outbox');
      // Whether it was recorded is unknown; a second time is harmless. At the end their lease does it.
      if (!this.#ending) this.#done.push(...done);
      this.#wanted = true;
      this.#outageUntil = Date.now() + OUTAGE;
      await this.#sleep.wait(OUTAGE);
    }
  }

  async #carry(row: OutboxRow): Promise<void> {
    const { action } = row.payload;
    this.#underWay[action]++;
    this.#held.add(row.id);
    const execution = executionStartedBy(row.payload);
    const through = execution === null ? null : this.#pace.begin(execution);
    const outcome = await carry(this.#ctx, this.#client, row);
    this.#held.delete(row.id);
    if (outcome === 'done') this.#done.push(row.id);
    else if (execution !== null) this.#pace.begun(execution);
    if (outcome === 'unreachable') this.#outageUntil = Date.now() + OUTAGE;
    this.#ended();
    await through;
    this.#underWay[action]--;
    if (through) this.#ended();
  }

  /** There is something to record, or room. */
  #ended(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    setTimeout(() => {
      this.#gathering = false;
      this.#room = true;
      this.#sleep.end();
    }, TOGETHER);
  }
}

/** The execution that an intent starts, if it does. */
const executionStartedBy = (intent: Intent): string | null =>
  intent.action === 'start' && intent.resourceKind === 'execution' && intent.resourceId ? intent.resourceId : null;

/** Gives an intent to Temporal, or puts it off. Never throws. */
async function carry(ctx: Context, client: Client, row: OutboxRow): Promise<'done' | 'later' | 'unreachable'> {
  const intent = row.payload;
  try {
    switch (intent.action) {
      case 'start':
        await start(client, intent);
        break;
      case 'signal':
        await client.workflow.getHandle(intent.workflowId).signal(intent.signal);
        break;
      case 'cancel':
        // One that waits for its start delay hears of it at once: the server then gives it its first task.
        await client.workflow.getHandle(intent.workflowId).cancel();
        break;
    }
    return 'done';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'done';
    const reason = reasonOf(error);
    const unreachable = isUnreachable(error);
    const delay = backoffMs(row.attempts, { minMs: 1000, maxMs: unreachable ? 5000 : 30_000 });
    ctx.log.warn(
      { err: error, workflowId: row.workflowId, action: intent.action, attempts: row.attempts },
      'An intent could not be carried to Temporal yet',
    );
    // Else its lease runs out.
    await postponeIntent(ctx.pool, row.id, delay, reason).catch((err: unknown) =>
      ctx.log.warn({ err, workflowId: row.workflowId }, 'An intent could not be put off'),
    );
    return unreachable ? 'unreachable' : 'later';
  }
}

/** The library's message says what failed, its cause why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function isUnreachable(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return isGrpcServiceError(cause) && UNREACHABLE.has(cause.code);
}
async function start(client: Client, intent: StartIntent): Promise<void> {
  const { projectId, resourceId, resourceKind, sourceWorkflowId, contactId, startAt } = intent;
  const attributes: SearchAttributePair[] = [{ key: SEARCH_ATTRIBUTES.resourceKind, value: resourceKind }];
  if (projectId) attributes.push({ key: SEARCH_ATTRIBUTES.projectId, value: projectId });
  if (resourceId) attributes.push({ key: SEARCH_ATTRIBUTES.resourceId, value: resourceId });
  if (sourceWorkflowId) attributes.push({ key: SEARCH_ATTRIBUTES.sourceWorkflowId, value: sourceWorkflowId });
  if (contactId) attributes.push({ key: SEARCH_ATTRIBUTES.contactId, value: contactId });
  const delay = startAt ? Date.parse(startAt) - Date.now() : 0;
  const options: WorkflowStartOptions = {
    workflowId: intent.workflowId,
    taskQueue: intent.taskQueue,
    args: intent.args,
    // Running: the intent was carried before. Closed: it is wanted anew, and its first activity looks at the row.
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    typedSearchAttributes: attributes,
    ...(intent.summary && { staticSummary: intent.summary }),
    ...(delay > 0 ? { startDelay: delay } : { requestEagerStart: true }),
    ...(projectId && { priority: { fairnessKey: projectId } }),
  };
  await within(intent.trace, () => client.workflow.start(intent.workflowType, options));
}
