/** WAIT_FOR_EVENT: waits for an event of the contact, or for a timeout. */
import type { PoolClient } from 'pg';
import { transaction } from '../../../db/pool.js';
import type { WaitForEventConfig } from '../../workflows/step-config.js';
import { completeStep, markStepWaiting, type Run, type StepResult } from '../moves.js';
import type { OpenStep, ReachedStep } from '../sql/state.js';
import { findAwaitedEvent, lockContactEvents, type AwaitedEvent } from '../sql/wait.js';
import { branchWithoutStep, eventOccurred, eventTimedOut, WAIT_SKIPPED, waitingForEvent } from '../words.js';

/** Continues with an event that has already occurred; otherwise waits. */
export const startWait = (
  run: Run,
  step: ReachedStep,
  { eventName, timeout }: WaitForEventConfig,
): Promise<StepResult> =>
  withLockedEvents(run, async (tx) => {
    const event = await findEvent(tx, run, step, eventName, null);
    if (event) return completeWithEvent(tx, run, step, eventName, event);
    const until = timeout === null ? null : new Date(run.now.getTime() + Math.ceil(timeout * 1000));
    const output = { summary: waitingForEvent(eventName, until) };
    return markStepWaiting(run, step, { pause: { kind: 'wait', until }, waitingFor: eventName, output }, tx);
  });

/** Decides, after a poke or the timer, whether the event or the timeout ends the wait. Only one of them can. */
export const completeWait = (run: Run, step: ReachedStep, open: OpenStep, eventName: string): Promise<StepResult> =>
  withLockedEvents(run, async (tx) => {
    const { wakeAt } = open;
    const timeoutMs = timeoutMsOf(open);
    const event = await findEvent(tx, run, step, eventName, timeoutMs);
    if (event) return completeWithEvent(tx, run, step, eventName, event);
    if (wakeAt === null || timeoutMs === null || run.now < wakeAt)
      return { kind: 'paused', pause: { kind: 'wait', until: wakeAt } };
    return completeWithTimeout(tx, run, step, eventTimedOut(eventName, timeoutMs));
  });

/**
 * Ends the wait before its time. An event that has already occurred decides as usual. Otherwise, a wait with a timeout
 * continues as if the time were up, and one without as if the event had occurred, because its time is never up.
 */
export async function skipEventWait(
  tx: PoolClient,
  run: Run,
  step: ReachedStep,
  open: OpenStep & { waitingFor: string },
): Promise<StepResult> {
  if (!(await lockContactEvents(tx, run.projectId, run.contactId))) return { kind: 'lost' };
  const timeoutMs = timeoutMsOf(open);
  const event = await findEvent(tx, run, step, open.waitingFor, timeoutMs);
  if (event) return completeWithEvent(tx, run, step, open.waitingFor, event);
  if (timeoutMs !== null) return completeWithTimeout(tx, run, step, WAIT_SKIPPED);
  return completeStep(run, step, { output: { summary: WAIT_SKIPPED, branch: 'event' }, branches: EVENT_BRANCHES }, tx);
}

/** `wakeAt` is a time of Temporal's clock. Events carry the database's time, so only the duration is compared. */
const timeoutMsOf = ({ wakeAt, startedAt }: OpenStep): number | null =>
  wakeAt && wakeAt.getTime() - startedAt.getTime();

/** The edges of a wait whose event has occurred. */
const EVENT_BRANCHES = ['', 'event'];

/**
 * Locks the contact, and with it its events. A concurrent transaction that writes an event has either committed, so the
 * event is found, or writes after this transaction and finds the execution WAITING.
 */
function withLockedEvents(run: Run, work: (tx: PoolClient) => Promise<StepResult>): Promise<StepResult> {
  return transaction(run.ctx.pool, async (tx) => {
    // The contact was deleted, and the execution with it.
    if (!(await lockContactEvents(tx, run.projectId, run.contactId))) return { kind: 'lost' };
    return work(tx);
  });
}

const findEvent = (
  tx: PoolClient,
  { projectId, executionId }: Run,
  { stepExecutionId }: ReachedStep,
  name: string,
  timeoutMs: number | null,
): Promise<AwaitedEvent | null> => findAwaitedEvent(tx, { projectId, executionId, stepExecutionId, name, timeoutMs });

const completeWithEvent = (
  tx: PoolClient,
  run: Run,
  step: ReachedStep,
  name: string,
  event: AwaitedEvent,
): Promise<StepResult> =>
  completeStep(
    run,
    step,
    {
      output: { summary: eventOccurred(name, event.createdAt), branch: 'event', eventId: event.id },
      branches: EVENT_BRANCHES,
      eventId: event.id,
    },
    tx,
  );

const completeWithTimeout = (tx: PoolClient, run: Run, step: ReachedStep, summary: string): Promise<StepResult> =>
  completeStep(
    run,
    step,
    {
      output: { summary, branch: 'timeout' },
      branches: ['timeout'],
      withoutEdge: { status: 'COMPLETED', reason: null, note: branchWithoutStep('timeout') },
    },
    tx,
  );
