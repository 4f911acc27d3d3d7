/** Ends an execution from outside. An execution that has already ended stays as it is. */
import type { Context } from '../../context.js';
import type { ExecutionRef } from './intents.js';
import { endExecution } from './sql/end.js';
import { CANCELLED_IN_TEMPORAL, UNEXPECTED_ERROR } from './words.js';

export interface EndInput extends ExecutionRef {
  /** The Temporal workflow's time, in milliseconds since 1970. */
  now: number;
}

/**
 * Cancels an execution that an operator canceled in the Temporal Web UI. After a cancellation through the API, the row
 * is already CANCELLED.
 */
export async function cancelFromTemporal({ pool }: Context, { projectId, executionId, now }: EndInput): Promise<void> {
  await endExecution(pool, {
    projectId,
    executionId,
    now: new Date(now),
    status: 'CANCELLED',
    reason: CANCELLED_IN_TEMPORAL,
    closes: 'CANCELLED',
  });
}

/** Fails an execution after an error that no retry resolves. The caller logs the error. */
export async function failExecution({ pool }: Context, { projectId, executionId, now }: EndInput): Promise<void> {
  await endExecution(pool, {
    projectId,
    executionId,
    now: new Date(now),
    status: 'FAILED',
    reason: UNEXPECTED_ERROR,
    closes: 'FAILED',
  });
}
