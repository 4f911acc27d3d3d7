/** CONDITION: follows one of its branches. */
import type { ConditionConfig } from '../../workflows/step-config.js';
import { chooseBranch } from '../condition.js';
import { completeStep, type Run, type StepResult } from '../moves.js';
import type { ReachedStep } from '../sql/move.js';
import { branchWithoutStep } from '../words.js';

/** Tests the contact and the context as they were when the step was reached or when this call started. */
export async function runCondition(run: Run, step: ReachedStep, { test }: ConditionConfig): Promise<StepResult> {
  // The contact was deleted, and the execution with it.
  if (!step.facts) return { kind: 'lost' };
  const { branch, summary } = await chooseBranch(test, step.facts, {
    db: run.ctx.pool,
    projectId: run.projectId,
    contactId: run.contactId,
    now: run.now,
  });
  return completeStep(run, step, {
    output: { summary, branch },
    branches: [branch],
    withoutEdge: { status: 'COMPLETED', reason: null, note: branchWithoutStep(branch) },
  });
}
