/**
 * The outbox relay: delivers intents to Temporal, in their order per workflow id.
 *
 * Signals, starts, and cancellations have separate lanes, each with a limited number of intents in flight. A lane
 * claims intents as its slots become free, so a slow intent delays no others, and a burst in one lane does not delay
 * the other lanes. Delivery is at least once, and a repeat is harmless: "already started", "not found", and "closed"
 * count as delivered.
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
import { createPulse } from '../pause.js';
import { within } from '../trace.js';
import { SEARCH_ATTRIBUTES } from './ids.js';

/** Maximum intents in flight per lane. The pace limits starts. */
const LANE_LIMITS = { signal: 50, cancel: 20 } as const;
const ACTIONS = ['signal', 'start', 'cancel'] as const;

const LEASE_SECONDS = 30;
const POLL_INTERVAL_MS = 1000;
/** Intents that end within this time are recorded by one statement, which also claims for all of their slots. */
const BATCH_DELAY_MS = 10;
/** How long nothing is claimed after Temporal or the database could not be reached. */
const OUTAGE_PAUSE_MS = 1000;

/** gRPC codes that blame the server, not the request: cancelled, deadline exceeded, resource exhausted, unavailable. */
const UNREACHABLE_CODES = new Set<unknown>([1, 4, 8, 14]);

type RelayContext = Pick<Context, 'pool' | 'log'>;

export interface Relay {
  wake: () => void;
  /** Stops claiming. Resolves after the intents in flight have ended and are recorded. */
  stop: () => Promise<void>;
}

/** @param ctx with a pool `isForLookups` */
export function startRelay(ctx: RelayContext, client: Client, pace: Pace): Relay {
  const pause = createPulse();
  const inFlight = { signal: 0, start: 0, cancel: 0 };
  /** The ids in flight: an intent that outlives its lease is not delivered twice concurrently. */
  const inFlightIds = new Set<number>();
  /** Delivered intents that are not recorded yet. */
  let delivered: number[] = [];
  /** Whether intents may be due that the last claim has not seen. */
  let mayHaveDue = true;
  /** Whether slots have become free since the last claim. */
  let hasFreeSlots = false;
  let isBatching = false;
  let outageUntil = 0;
  let isStopping = false;

  /** Returns the lanes with free slots. */
  const freeLanes = (): Lane[] => {
    if (isStopping || Date.now() < outageUntil) return [];
    const limits = { ...LANE_LIMITS, start: pace.limit() };
    return ACTIONS.map((action) => ({ action, room: limits[action] - inFlight[action] })).filter(
      ({ room }) => room > 0,
    );
  };

  const run = async (): Promise<void> => {
    for (let claimedAt = 0; ;) {
      if (Date.now() - claimedAt >= POLL_INTERVAL_MS) mayHaveDue = true;
      const lanes = freeLanes();
      const mustRecord = delivered.length > 0 && (hasFreeSlots || isStopping);
      if (mustRecord || (lanes.length > 0 && (mayHaveDue || hasFreeSlots))) {
        await recordAndClaim(lanes);
        claimedAt = Date.now();
        continue;
      }
      if (isStopping && inFlightIds.size === 0 && delivered.length === 0) return;
      await pause.wait(POLL_INTERVAL_MS);
    }
  };

  /** Records delivered intents and claims due ones, in one statement. */
  const recordAndClaim = async (lanes: Lane[]): Promise<void> => {
    const done = delivered;
    delivered = [];
    // Without a free lane, due intents remain unseen.
    mayHaveDue &&= lanes.length === 0;
    hasFreeSlots = false;
    try {
      const rows = await claimIntents(ctx.pool, { done, lanes, leaseSeconds: LEASE_SECONDS });
      for (const row of rows) if (!inFlightIds.has(row.id)) void deliver(row);
      if (lanes.some((lane) => mayHaveMore(lane, rows))) mayHaveDue = true;
    } catch (error) {
      ctx.log.warn({ err: error }, 'The relay cannot reach the outbox');
      // It is unknown whether the intents were recorded; a repeat is harmless. At a stop, their leases expire instead.
      if (!isStopping) delivered.push(...done);
      mayHaveDue = true;
      outageUntil = Date.now() + OUTAGE_PAUSE_MS;
      await pause.wait(OUTAGE_PAUSE_MS);
    }
  };

  const deliver = async (row: OutboxRow): Promise<void> => {
    const { action } = row.payload;
    inFlight[action]++;
    inFlightIds.add(row.id);
    const execution = executionStartedBy(row.payload);
    const firstPause = execution === null ? null : pace.begin(execution);
    const outcome = await deliverIntent(ctx, client, row);
    inFlightIds.delete(row.id);
    if (outcome === 'done') delivered.push(row.id);
    else if (execution !== null) pace.begun(execution);
    if (outcome === 'unreachable') outageUntil = Date.now() + OUTAGE_PAUSE_MS;
    scheduleClaim();
    // A start holds its slot until the execution reaches its first pause.
    await firstPause;
    inFlight[action]--;
    if (firstPause) scheduleClaim();
  };

  const scheduleClaim = (): void => {
    if (isBatching) return;
    isBatching = true;
    setTimeout(() => {
      isBatching = false;
      hasFreeSlots = true;
      pause.fire();
    }, BATCH_DELAY_MS);
  };

  const running = run();
  return {
    wake() {
      mayHaveDue = true;
      pause.fire();
    },
    async stop() {
      isStopping = true;
      pause.fire();
      await running;
    },
  };
}

/**
 * Whether a lane may have due intents that a claim left although it had room for them: each project had a share of the
 * room, and one has used its whole share while others have not.
 */
function mayHaveMore({ action, room }: Lane, rows: OutboxRow[]): boolean {
  const claimed = rows.filter(({ payload }) => payload.action === action);
  const counts = new Map<string, number>();
  for (const { fairnessKey } of claimed) counts.set(fairnessKey, (counts.get(fairnessKey) ?? 0) + 1);
  const share = Math.floor(room / counts.size);
  return claimed.length < room && [...counts.values()].some((count) => count >= share);
}

/** Returns the id of the execution that an intent starts, or null. */
const executionStartedBy = (intent: Intent): string | null =>
  intent.action === 'start' && intent.resourceKind === 'execution' && intent.resourceId ? intent.resourceId : null;

/** Delivers an intent to Temporal, or postpones it. Never throws. */
async function deliverIntent(
  ctx: RelayContext,
  client: Client,
  row: OutboxRow,
): Promise<'done' | 'later' | 'unreachable'> {
  const intent = row.payload;
  try {
    switch (intent.action) {
      case 'start':
        await startWorkflow(client, intent);
        break;
      case 'signal':
        await client.workflow.getHandle(intent.workflowId).signal(intent.signal);
        break;
      case 'cancel':
        // A workflow in its start delay is cancelled immediately: the server then schedules its first task.
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
      'The relay could not deliver an intent to Temporal; it retries',
    );
    // If this fails, the lease expires.
    await postponeIntent(ctx.pool, row.id, delay, reason).catch((err: unknown) =>
      ctx.log.warn({ err, workflowId: row.workflowId }, 'The relay could not postpone an intent; its lease expires'),
    );
    return unreachable ? 'unreachable' : 'later';
  }
}

/** Joins the library's message with its cause, which has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function isUnreachable(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return isGrpcServiceError(cause) && UNREACHABLE_CODES.has(cause.code);
}

async function startWorkflow(client: Client, intent: StartIntent): Promise<void> {
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
    // A running workflow means that the intent was already delivered. A closed one starts again and checks its row
    // first.
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    typedSearchAttributes: attributes,
    ...(intent.summary && { staticSummary: intent.summary }),
    ...(delay > 0 ? { startDelay: delay } : { requestEagerStart: true }),
    ...(projectId && { priority: { fairnessKey: projectId } }),
  };
  await within(intent.trace, () => client.workflow.start(intent.workflowType, options));
}
