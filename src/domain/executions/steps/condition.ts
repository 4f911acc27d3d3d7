/** CONDITION: chooses a branch. */
import type { ReachedStep } from '../sql/run.js';
import type { ConditionConfig } from '../../workflows/step-config.js';
import { decide } from '../condition.js';
import { leave, type Run, type StepResult } from '../moves.js';
import { noStepFor } from '../words.js';

/** The contact and the context are those of the moment at which the step was reached, or this call began. */
export async function condition(run: Run, step: ReachedStep, { test }: ConditionConfig): Promise<StepResult> {
  // The contact is gone, and the execution with it.
  if (!step.facts) return null;
  const { branch, summary } = await decide(test, step.facts, {
    db: run.ctx.pool,
    projectId: run.projectId,
    contactId: run.contactId,
    now: run.now,
  });
  return leave(run, step, {
    output: { summary, branch },
    branches: [branch],
    otherwise: { status: 'COMPLETED', reason: null, note: noStepFor(branch) },
  });
}
