/** Activities of `workflowExecution`: thin calls into the domain. */
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { isPassing } from '../src/db/pool.js';
import { advance, type Advance, type AdvanceInput } from '../src/domain/executions/advance.js';
import { cancelFromTemporal, failExecution, type EndInput } from '../src/domain/executions/end.js';
import type { ExecutionRef } from '../src/domain/executions/intents.js';
import type { Pace } from '../src/domain/executions/pace.js';
import { performWebhook } from '../src/domain/executions/webhook/perform.js';
import { createWebhookRoom, waitForRoom } from '../src/domain/executions/webhook/room.js';

export type ExecutionActivities = ReturnType<typeof createExecutionActivities>;

export interface CallWebhookInput extends ExecutionRef {
  stepExecutionId: string;
}

/** Failures in a row that nothing explains: more than a minute. */
const PATIENCE = 10;

export function createExecutionActivities(ctx: Context, pace: Pace) {
  const room = createWebhookRoom();
  return {
    /**
     * An error that time may mend is tried again for as long as it takes; any other a few times, since the row that it
     * meets stays the same.
     */
    async advance(input: AdvanceInput): Promise<Advance> {
      const { attempt, scheduledTimestampMs } = activityInfo();
      // What the database has held up is done now, and not when it was asked for first: a delay behind it is still as
      // long as it says.
      const late = attempt > 1 ? Math.max(0, Date.now() - scheduledTimestampMs) : 0;
      try {
        return await advance(ctx, { ...input, now: input.now + late });
      } catch (error) {
        if (isPassing(error) || attempt < PATIENCE) throw error;
        ctx.log.error(
          { err: error, executionId: input.executionId, projectId: input.projectId },
          'An execution failed',
        );
        await failExecution(ctx, input);
        throw ApplicationFailure.nonRetryable('The execution failed', 'ExecutionFailed');
      } finally {
        if (input.first) pace.begun(input.executionId);
      }
    },

    cancelExecution: (input: EndInput): Promise<void> => cancelFromTemporal(ctx, input),

    /**
     * One attempt; what came of it is in the step's output. One that finds no room for its project is none, and leaves
     * its slot to others meanwhile.
     */
    async callWebhook({ projectId, executionId, stepExecutionId }: CallWebhookInput): Promise<void> {
      const { attempt, currentAttemptScheduledTimestampMs } = activityInfo();
      const leave = room.enter(projectId);
      if (!leave) throw again('WebhookWaits', 'The project has many requests under way', waitForRoom(attempt));
      try {
        const result = await performWebhook(ctx, {
          projectId,
          executionId,
          stepExecutionId,
          now: new Date(currentAttemptScheduledTimestampMs),
        });
        if (result.kind === 'retry') throw again('WebhookFailed', result.reason, result.waitMs);
      } finally {
        leave();
      }
    },
  };
}

/** Benign: a receiver's fault is no warning in our log. */
const again = (type: string, message: string, nextRetryDelay: number): ApplicationFailure =>
  ApplicationFailure.create({ message, type, category: 'BENIGN', nextRetryDelay });
