/** WEBHOOK: follows the recorded outcome of the request, which is an activity of its own that Temporal retries. */
import { completeStep, type Run, type StepResult } from '../moves.js';
import type { OpenStep, ReachedStep } from '../sql/state.js';
import { describeGivingUp, readWebhookOutput } from '../webhook/perform.js';
import { REQUEST_NOT_MADE } from '../words.js';

/** Completes the step if its outcome is recorded; otherwise asks the caller to make the request. */
export async function runWebhook(run: Run, step: ReachedStep, open: OpenStep | null): Promise<StepResult> {
  const recorded = readWebhookOutput(open?.output);
  if (recorded?.outcome === 'success') return completeStep(run, step, { output: { summary: recorded.summary } });
  if (recorded?.outcome === 'failure')
    return failRequest(run, step, recorded.summary, recorded.reason ?? recorded.summary);
  if (run.gaveUpOn !== step.stepExecutionId) return { kind: 'paused', pause: { kind: 'webhook' } };
  const reason = recorded ? describeGivingUp(recorded) : REQUEST_NOT_MADE;
  return failRequest(run, step, reason, reason);
}

/** Follows the branch `error`; without it, the execution fails with the step. */
const failRequest = (run: Run, step: ReachedStep, summary: string, error: string): Promise<StepResult> =>
  completeStep(run, step, {
    output: { summary, branch: 'error' },
    error,
    branches: ['error'],
    withoutEdge: { status: 'FAILED', reason: error, note: null },
  });
