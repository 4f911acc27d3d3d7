/** Activities of `workflowExecution`: thin calls into the domain. */
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { isPassing } from '../src/db/pool.js';
import { advance, type Advance, type AdvanceInput } from '../src/domain/executions/advance.js';
import { cancelFromTemporal, failExecution, type EndInput } from '../src/domain/executions/end.js';
import type { ExecutionRef } from '../src/domain/executions/intents.js';
import { performWebhook } from '../src/domain/executions/webhook/perform.js';

export type ExecutionActivities = ReturnType<typeof createExecutionActivities>;

export interface CallWebhookInput extends ExecutionRef {
  stepExecutionId: string;
}

/** Failures in a row that nothing explains: more than a minute. */
const PATIENCE = 10;

export function createExecutionActivities(ctx: Context) {
  return {
    /** An error that time may mend is tried again for as long as it takes; any other a few times, since the row that it meets stays the same. */
    async advance(input: AdvanceInput): Promise<Advance> {
      try {
        return await advance(ctx, input);
      } catch (error) {
        if (isPassing(error) || activityInfo().attempt < PATIENCE) throw error;
        ctx.log.error({ err: error, executionId: input.executionId, projectId: input.projectId }, 'An execution failed');
        await failExecution(ctx, input);
        throw ApplicationFailure.nonRetryable('The execution failed', 'ExecutionFailed');
      }
    },

    cancelExecution: (input: EndInput): Promise<void> => cancelFromTemporal(ctx, input),

    /** One attempt; what came of it is in the step's output. */
    async callWebhook({ projectId, executionId, stepExecutionId }: CallWebhookInput): Promise<void> {
      const { attempt, currentAttemptScheduledTimestampMs } = activityInfo();
      const result = await performWebhook(ctx, { projectId, executionId, stepExecutionId, attempt, now: new Date(currentAttemptScheduledTimestampMs) });
      if (result.kind !== 'retry') return;
      const { reason, retryAfterMs } = result;
      // Benign: a receiver's fault is no warning in our log.
      throw ApplicationFailure.create({ message: reason, type: 'WebhookFailed', category: 'BENIGN', ...(retryAfterMs !== null && { nextRetryDelay: retryAfterMs }) });
    },
  };
}
