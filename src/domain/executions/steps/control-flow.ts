/** CONDITION, DELAY, and EXIT: steps that only decide when and where the execution continues. */
import type { Queryable } from '../../../db/pool.js';
import { delayMs, type ConditionConfig, type DelayConfig, type ExitConfig } from '../../workflows/step-config.js';
import { chooseBranch } from '../condition.js';
import { completeStep, markStepWaiting, type Run, type StepResult } from '../moves.js';
import type { OpenStep, ReachedStep } from '../sql/state.js';
import { branchWithoutStep, exitSummary, WAIT_SKIPPED, waitedUntil, waitingUntil } from '../words.js';

/** CONDITION: tests the contact and the context as they were when the step was reached or when this call started. */
export async function runCondition(run: Run, step: ReachedStep, { test }: ConditionConfig): Promise<StepResult> {
  // The contact was deleted, and the execution with it.
  if (!step.facts) return { kind: 'lost' };
  const { branch, summary, condition } = await chooseBranch(test, step.facts, {
    db: run.ctx.pool,
    projectId: run.projectId,
    contactId: run.contactId,
    now: run.now,
  });
  return completeStep(run, step, {
    output: { summary, branch, ...(condition && { condition }) },
    branches: [branch],
    withoutEdge: { status: 'COMPLETED', reason: null, note: branchWithoutStep(branch) },
  });
}

/** DELAY: waits until a time that is fixed when the step is reached. */
export function startDelay(run: Run, step: ReachedStep, config: DelayConfig): Promise<StepResult> {
  const ms = delayMs(config);
  const until = new Date(run.now.getTime() + ms);
  return markStepWaiting(run, step, {
    pause: { kind: 'sleep', until },
    waitingFor: null,
    output: { summary: waitingUntil(until, ms) },
  });
}

export async function completeDelay(run: Run, step: ReachedStep, { wakeAt, startedAt }: OpenStep): Promise<StepResult> {
  // A poke can wake the execution early.
  if (wakeAt !== null && run.now < wakeAt) return { kind: 'paused', pause: { kind: 'sleep', until: wakeAt } };
  const until = wakeAt ?? run.now;
  return completeStep(run, step, { output: { summary: waitedUntil(until, until.getTime() - startedAt.getTime()) } });
}

/** DELAY: ends the wait before its time. */
export const skipDelay = (db: Queryable, run: Run, step: ReachedStep): Promise<StepResult> =>
  completeStep(run, step, { output: { summary: WAIT_SKIPPED } }, db);

/**
 * EXIT: ends the execution. The move to an EXIT already does that, so this runs only if a deleted step's execution was
 * redirected to the EXIT.
 */
export const runExit = (run: Run, step: ReachedStep, { reason }: ExitConfig): Promise<StepResult> =>
  completeStep(run, step, { output: { summary: exitSummary(reason) }, ends: { status: 'EXITED', reason } });
