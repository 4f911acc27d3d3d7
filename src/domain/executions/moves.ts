/** What a step can make of its execution: go on, end, or wait. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import {
  hold,
  moveOn,
  type ExecutionEnd,
  type ExecutionKey,
  type Move,
  type Moved,
  type ReachedStep,
  type StepOutput,
} from './sql/run.js';
import { newId } from '../../ids.js';

/** One call of `advance`: whose execution, and what time it is. */
export interface Run extends ExecutionKey {
  ctx: Context;
  contactId: string;
  /** The Temporal workflow's time. */
  now: Date;
  /** The execution of a WEBHOOK step whose request Temporal has given up on. */
  gaveUpOn: string | null;
}

/** Why an execution does not go on by itself. */
export type Pause = { kind: 'sleep'; until: Date } | { kind: 'wait'; until: Date | null } | { kind: 'webhook' };

/** What came of a step. null: its execution or the graph has changed meanwhile, and nothing was done; look again. */
export type StepResult = Moved | { pause: Pause };

/**
 * A reason for which a step, and with it the execution, fails for good: a sentence for the step's `error` and the
 * execution's `exitReason`.
 */
export class StepFault extends Error {}

const THE_ONLY_WAY = [''] as const;
const COMPLETE: Move['otherwise'] = { status: 'COMPLETED', reason: null, note: null };

/** What every move says besides its own outcome: on by the edge without a branch, or else to the end. */
export const moveOf = ({ projectId, executionId, now }: Pick<Run, 'projectId' | 'executionId' | 'now'>) => ({
  projectId,
  executionId,
  now,
  nextId: newId(),
  branches: THE_ONLY_WAY,
  otherwise: COMPLETE,
});

export interface Outcome {
  output: StepOutput;
  /** Transitions of these branches lead on; '' is one without a branch. */
  branches?: readonly string[];
  otherwise?: Move['otherwise'];
  eventId?: string;
  /** The step has failed, with this error, and the flow still goes on. */
  error?: string;
  ends?: ExecutionEnd;
}

/** Closes the step and goes the way of its outcome. */
export function leave(
  run: Run,
  step: ReachedStep,
  { output, branches, otherwise, eventId, error, ends }: Outcome,
  db: Queryable = run.ctx.pool,
): Promise<Moved> {
  return moveOn(db, {
    ...moveOf(run),
    stepExecutionId: step.stepExecutionId,
    closes: error === undefined ? 'COMPLETED' : 'FAILED',
    output,
    error: error ?? null,
    ends: ends ?? null,
    eventId: eventId ?? null,
    ...(branches && { branches }),
    ...(otherwise && { otherwise }),
  });
}

/** The step and the execution fail. */
export const fail = (run: Run, step: ReachedStep, reason: string): Promise<Moved> =>
  leave(run, step, { output: { summary: reason }, error: reason, ends: { status: 'FAILED', reason } });

interface Waiting {
  pause: Exclude<Pause, { kind: 'webhook' }>;
  /** The name of the event. */
  waitingFor: string | null;
  output: StepOutput;
}

/** The step waits. */
export async function pauseAt(
  run: Run,
  step: ReachedStep,
  { pause, waitingFor, output }: Waiting,
  db: Queryable = run.ctx.pool,
): Promise<StepResult> {
  const { projectId, executionId } = run;
  const held = await hold(db, {
    projectId,
    executionId,
    stepExecutionId: step.stepExecutionId,
    wakeAt: pause.until,
    waitingFor,
    output,
  });
  return held ? { pause } : null;
}
