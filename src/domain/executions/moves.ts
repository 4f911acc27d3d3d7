/** The outcomes of a step: the execution moves on, ends, or waits. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { newId } from '../../ids.js';
import { moveExecution, type ExecutionEnd, type Move, type MoveBase, type Moved, type StepOutput } from './sql/move.js';
import type { ExecutionKey, ReachedStep } from './sql/state.js';
import { markWaiting } from './sql/wait.js';

/** One call of `advance` for one execution. */
export interface Run extends ExecutionKey {
  ctx: Context;
  contactId: string;
  /** The Temporal workflow's time. */
  now: Date;
  /** The step execution of a WEBHOOK whose request Temporal has given up on. */
  gaveUpOn: string | null;
}

/** What an execution waits for. `until` is null if the wait has no timeout. */
export type Pause = { kind: 'sleep'; until: Date } | { kind: 'wait'; until: Date | null } | { kind: 'webhook' };

export type StepResult = Moved | { kind: 'paused'; pause: Pause };

/**
 * A permanent failure of a step and its execution. The message is one sentence; it becomes the step's `error` and the
 * execution's `exitReason`.
 */
export class StepFault extends Error {}

/** The defaults of a move: it follows the edge without a branch, and without that edge the execution is COMPLETED. */
export const moveBase = ({
  projectId,
  executionId,
  now,
}: Pick<Run, 'projectId' | 'executionId' | 'now'>): MoveBase => ({
  projectId,
  executionId,
  nextId: newId(),
  now,
  branches: [''],
  withoutEdge: { status: 'COMPLETED', reason: null, note: null },
});

export interface StepOutcome {
  output: StepOutput;
  /** The branches whose edges lead on; '' is the edge without a branch, and the default. */
  branches?: readonly string[];
  /** The end of the execution if there is no such edge; COMPLETED by default. */
  withoutEdge?: MoveBase['withoutEdge'];
  /** The event that ended a wait. */
  eventId?: string;
  /** Marks the step as FAILED. The execution still follows its edges. */
  error?: string;
  /** Ends the execution even if there is an edge. */
  ends?: ExecutionEnd;
}

/** Closes the current step and follows the edge of its outcome. */
export function completeStep(
  run: Run,
  { stepExecutionId }: ReachedStep,
  { output, branches, withoutEdge, eventId, error, ends }: StepOutcome,
  db: Queryable = run.ctx.pool,
): Promise<Moved> {
  const move: Move = {
    ...moveBase(run),
    stepExecutionId,
    closes: error === undefined ? 'COMPLETED' : 'FAILED',
    output,
    error: error ?? null,
    ends: ends ?? null,
    eventId: eventId ?? null,
    ...(branches && { branches }),
    ...(withoutEdge && { withoutEdge }),
  };
  return moveExecution(db, move);
}

/** Ends the current step and the execution as FAILED. */
export const failStep = (run: Run, step: ReachedStep, reason: string): Promise<Moved> =>
  completeStep(run, step, { output: { summary: reason }, error: reason, ends: { status: 'FAILED', reason } });

interface Waiting {
  pause: Exclude<Pause, { kind: 'webhook' }>;
  /** The name of the awaited event. */
  waitingFor: string | null;
  output: StepOutput;
}

/** Marks the current step and the execution as WAITING. */
export async function markStepWaiting(
  { ctx, projectId, executionId }: Run,
  { stepExecutionId }: ReachedStep,
  { pause, waitingFor, output }: Waiting,
  db: Queryable = ctx.pool,
): Promise<StepResult> {
  const key = { projectId, executionId, stepExecutionId };
  const marked = await markWaiting(db, { ...key, wakeAt: pause.until, waitingFor, output });
  return marked ? { kind: 'paused', pause } : { kind: 'lost' };
}
