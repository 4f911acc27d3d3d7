/** The ends of an execution that are not its own. Each changes an active row only: what has ended stays as it is. */
import type { Context } from '../../context.js';
import { endExecution } from './sql/run.js';
import type { ExecutionRef } from './intents.js';
import { CANCELLED_IN_TEMPORAL, UNEXPECTED } from './words.js';

export interface EndInput extends ExecutionRef {
  /** The Temporal workflow's time, in milliseconds since 1970. */
  now: number;
}

/** An operator's word, in the Temporal Web UI; where the API has cancelled, the row knows already. */
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

/** What no retry could mend; the log says more. */
export async function failExecution({ pool }: Context, { projectId, executionId, now }: EndInput): Promise<void> {
  await endExecution(pool, {
    projectId,
    executionId,
    now: new Date(now),
    status: 'FAILED',
    reason: UNEXPECTED,
    closes: 'FAILED',
  });
}
