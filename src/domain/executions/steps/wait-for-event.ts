/** WAIT_FOR_EVENT: until an event of the contact, or a timeout. */
import type { PoolClient } from 'pg';
import { transaction } from '../../../db/pool.js';
import type { OpenStep, ReachedStep } from '../sql/run.js';
import { findAwaitedEvent, holdContact, type AwaitedEvent } from '../sql/wait.js';
import type { WaitForEventConfig } from '../../workflows/step-config.js';
import { leave, pauseAt, type Run, type StepResult } from '../moves.js';
import { eventCame, eventDidNotCome, NO_STEP_FOR_TIMEOUT, waitsFor } from '../words.js';

/** Looks for the event, and waits when there is none. */
export const beginWait = (
  run: Run,
  step: ReachedStep,
  { eventName, timeout }: WaitForEventConfig,
): Promise<StepResult> =>
  withEvents(run, async (tx) => {
    const event = await find(tx, run, step, eventName, null);
    if (event) return goOn(tx, run, step, eventName, event);
    const until = timeout === null ? null : new Date(run.now.getTime() + Math.ceil(timeout * 1000));
    return pauseAt(
      run,
      step,
      { pause: { kind: 'wait', until }, waitingFor: eventName, output: { summary: waitsFor(eventName, until) } },
      tx,
    );
  });

/** Woken by a poke or by the timer: decides which of the two it is, once. */
export const endWait = (
  run: Run,
  step: ReachedStep,
  { wakeAt, startedAt }: OpenStep,
  eventName: string,
): Promise<StepResult> =>
  withEvents(run, async (tx) => {
    // The timeout is of the Temporal workflow's clock; the events are measured with it by the database's, which has
    // stamped them.
    const timeout = wakeAt && wakeAt.getTime() - startedAt.getTime();
    const event = await find(tx, run, step, eventName, timeout);
    if (event) return goOn(tx, run, step, eventName, event);
    if (wakeAt === null || timeout === null || run.now < wakeAt) return { pause: { kind: 'wait', until: wakeAt } };
    return leave(
      run,
      step,
      {
        output: { summary: eventDidNotCome(eventName, timeout), branch: 'timeout' },
        branches: ['timeout'],
        otherwise: NO_STEP,
      },
      tx,
    );
  });

const NO_STEP = { status: 'COMPLETED', reason: null, note: NO_STEP_FOR_TIMEOUT } as const;

/**
 * Holds the contact, and with it its events: whoever writes one at this moment is either done, and it is found, or
 * comes after this transaction and finds the execution waiting (the trigger `events_start_and_wake`).
 */
function withEvents(run: Run, work: (tx: PoolClient) => Promise<StepResult>): Promise<StepResult> {
  return transaction(run.ctx.pool, async (tx) => {
    // Gone with its executions.
    if (!(await holdContact(tx, run.projectId, run.contactId))) return null;
    return work(tx);
  });
}

const find = (
  tx: PoolClient,
  { projectId, executionId }: Run,
  { stepExecutionId }: ReachedStep,
  name: string,
  timeout: number | null,
): Promise<AwaitedEvent | null> => findAwaitedEvent(tx, { projectId, executionId, stepExecutionId, name, timeout });

const goOn = (tx: PoolClient, run: Run, step: ReachedStep, name: string, event: AwaitedEvent): Promise<StepResult> =>
  leave(
    run,
    step,
    {
      output: { summary: eventCame(name, event.createdAt), branch: 'event', eventId: event.id },
      branches: ['', 'event'],
      eventId: event.id,
    },
    tx,
  );
