/** WEBHOOK: the request is an activity of its own, which Temporal repeats; here is what its outcome means. */
import type { OpenStep, ReachedStep } from '../sql/run.js';
import { leave, type Run, type StepResult } from '../moves.js';
import { gaveUp, recordedWebhook } from '../webhook/output.js';
import { NO_ANSWER } from '../words.js';

/** Goes on with the outcome that is recorded; without one, the request is to be made. */
export async function webhook(run: Run, step: ReachedStep, open: OpenStep | null): Promise<StepResult> {
  const recorded = recordedWebhook(open?.output);
  if (recorded?.outcome === 'success') return leave(run, step, { output: { summary: recorded.summary } });
  if (recorded?.outcome === 'failure') return failed(run, step, recorded.summary, recorded.reason ?? recorded.summary);
  if (run.gaveUpOn !== step.stepExecutionId) return { pause: { kind: 'webhook' } };
  const reason = recorded ? gaveUp(recorded) : NO_ANSWER;
  return failed(run, step, `${reason}.`, reason);
}

/** The flow goes on by the branch `error`, or the execution fails with the step. */
const failed = (run: Run, step: ReachedStep, summary: string, error: string): Promise<StepResult> =>
  leave(run, step, {
    output: { summary, branch: 'error' },
    error,
    branches: ['error'],
    otherwise: { status: 'FAILED', reason: error, note: null },
  });
