/** Activities of `workflowExecution`: thin calls into the domain. */
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { isPassing } from '../src/db/errors.js';
import { advance, type Advance, type AdvanceInput } from '../src/domain/executions/advance.js';
import { cancelFromTemporal, failExecution, type EndInput } from '../src/domain/executions/end.js';
import type { ExecutionRef } from '../src/domain/executions/intents.js';
import type { Pace } from '../src/domain/executions/pace.js';
import { performWebhook } from '../src/domain/executions/webhook/perform.js';
import { createWebhookSlots, slotDelayMs } from '../src/domain/executions/webhook/retry.js';

export type ExecutionActivities = ReturnType<typeof createExecutionActivities>;

export interface CallWebhookInput extends ExecutionRef {
  stepExecutionId: string;
}

/** Attempts before an error that is not transient fails the execution: more than a minute. */
const MAX_UNEXPLAINED_FAILURES = 10;

export function createExecutionActivities(ctx: Context, pace: Pace) {
  const slots = createWebhookSlots();
  return {
    /**
     * Retries a transient error without limit, and any other error a few times, because the row that causes it does not
     * change.
     */
    async advance(input: AdvanceInput): Promise<Advance> {
      const { attempt, scheduledTimestampMs } = activityInfo();
      // A retry can run long after the workflow has set `now`. The sum keeps the next delay at its full length.
      const lateMs = attempt > 1 ? Math.max(0, Date.now() - scheduledTimestampMs) : 0;
      try {
        return await advance(ctx, { ...input, now: input.now + lateMs });
      } catch (error) {
        if (isPassing(error) || attempt < MAX_UNEXPLAINED_FAILURES) throw error;
        const { executionId, projectId } = input;
        ctx.log.error({ err: error, executionId, projectId }, 'Automation: an execution failed');
        await failExecution(ctx, input);
        throw ApplicationFailure.nonRetryable('The execution failed', 'ExecutionFailed');
      } finally {
        if (input.first) pace.begun(input.executionId);
      }
    },

    cancelExecution: (input: EndInput): Promise<void> => cancelFromTemporal(ctx, input),

    /**
     * Makes one attempt and records it in the step's output. Without a free slot for the project, it makes no attempt
     * and is retried later, so that the activity slot is free for other projects.
     */
    async callWebhook({ projectId, executionId, stepExecutionId }: CallWebhookInput): Promise<void> {
      const { attempt, currentAttemptScheduledTimestampMs } = activityInfo();
      const release = slots.acquire(projectId);
      if (!release)
        throw retryLater('WebhookWaits', 'The project has too many requests in flight', slotDelayMs(attempt));
      try {
        const result = await performWebhook(ctx, {
          projectId,
          executionId,
          stepExecutionId,
          now: new Date(currentAttemptScheduledTimestampMs),
        });
        if (result.kind === 'retry') throw retryLater('WebhookFailed', result.reason, result.delayMs);
      } finally {
        release();
      }
    },
  };
}

/** The failure is benign, so that an error of a receiver does not appear as a warning in our log. */
const retryLater = (type: string, message: string, nextRetryDelay: number): ApplicationFailure =>
  ApplicationFailure.create({ message, type, category: 'BENIGN', nextRetryDelay });
