/** Ends the DELAY or WAIT_FOR_EVENT that an execution is in (additions, section 5). */
import type { PoolClient } from 'pg';
import type { ApiContext, Context } from '../../context.js';
import { enqueue } from '../../db/outbox.js';
import { transaction } from '../../db/pool.js';
import { conflict } from '../../errors.js';
import { retryDeadlocks } from '../lock-timeout.js';
import { findExecution, type Execution } from './get.js';
import { executionPoke } from './intents.js';
import type { StepResult } from './moves.js';
import { loadExecution } from './sql/state.js';
import { skipDelay } from './steps/control-flow.js';
import { skipEventWait } from './steps/wait-for-event.js';

/**
 * Moves a waiting execution to its next step, and pokes its Temporal workflow, which runs that step, in one
 * transaction. The move is guarded by the current step: only one of the timer, the event, and parallel calls ends a
 * wait.
 *
 * @returns the execution after the move
 * @throws WORKFLOW_NOT_FOUND, EXECUTION_NOT_FOUND (404); CONFLICT (409) if it is not in a DELAY or a WAIT_FOR_EVENT
 */
export async function skipWait(ctx: ApiContext, projectId: string, workflowId: string, id: string): Promise<Execution> {
  await findExecution(ctx, projectId, workflowId, id);
  const skip = async (tx: PoolClient): Promise<boolean> => {
    const { kind } = await endWait(ctx, tx, { projectId, executionId: id });
    if (kind === 'lost') return false;
    await enqueue(tx, [executionPoke(id)]);
    return true;
  };
  const isSkipped = await retryDeadlocks(() => transaction(ctx.pool, skip));
  const execution = await findExecution(ctx, projectId, workflowId, id);
  if (!isSkipped) {
    const { status } = execution;
    throw conflict(
      status === 'RUNNING' || status === 'WAITING'
        ? 'The execution is not in a DELAY or a WAIT_FOR_EVENT.'
        : `The execution has already ended with the status ${status}.`,
    );
  }
  ctx.wake('outbox');
  return execution;
}

async function endWait(
  ctx: Context,
  tx: PoolClient,
  key: { projectId: string; executionId: string },
): Promise<StepResult> {
  const state = await loadExecution(tx, key);
  if (!state?.step || state.stepExecutionId === null || state.open?.status !== 'WAITING') return { kind: 'lost' };
  const { contactId, open, stepExecutionId } = state;
  const run = { ...key, ctx, contactId, now: new Date(), gaveUpOn: null };
  const step = { ...state.step, stepExecutionId };
  return open.waitingFor === null
    ? skipDelay(tx, run, step)
    : skipEventWait(tx, run, step, { ...open, waitingFor: open.waitingFor });
}
