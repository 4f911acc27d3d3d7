/**
 * Cancelling executions through the API. Cancelled is final: whatever comes after, a timer or an event, finds an
 * execution that has ended.
 */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { cancelExecutionRows, cancelPageOfWorkflow, hasWorkflow, type CancelledPage } from './sql/executions.js';
import { conflict, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { retryingDeadlocks } from '../give-way.js';
import { findExecution, type Execution } from './get.js';

const REASON = 'It was cancelled through the API';

/** Below every id: where the pages begin. */
const FIRST = '00000000-0000-0000-0000-000000000000';
/** Executions of one transaction: about half a second's work. */
const PAGE = 5000;

/**
 * Cancels an active execution: its row, the step that is under way, and by an intent its Temporal workflow, in one
 * transaction.
 *
 * @throws WORKFLOW_NOT_FOUND, EXECUTION_NOT_FOUND (404); CONFLICT (409, it has ended: it stays as it is)
 */
export async function cancelExecution(
  ctx: Context,
  projectId: string,
  workflowId: string,
  id: string,
): Promise<Execution> {
  await findExecution(ctx, projectId, workflowId, id);
  const cancelled = await retryingDeadlocks(() => cancelExecutionRows(ctx.pool, [id], REASON));
  const execution = await findExecution(ctx, projectId, workflowId, id);
  if (cancelled.length === 0) throw conflict(`The execution has ended: it is ${execution.status}.`);
  ctx.wake('outbox');
  return execution;
}

/**
 * Cancels every execution of a workflow that is active now, in pages of a transaction each, which hold for themselves:
 * whoever repeats a call that was cut short goes on where it ended.
 *
 * @returns how many
 * @throws WORKFLOW_NOT_FOUND (404)
 */
export async function cancelAllExecutions(ctx: Context, projectId: string, workflowId: string): Promise<number> {
  if (!isId(workflowId) || !(await hasWorkflow(ctx.pool, projectId, workflowId))) throw notFound('WORKFLOW');
  return cancelPages(ctx.pool, workflowId, REASON, (page) => retryingDeadlocks(page).finally(() => ctx.wake('outbox')));
}

/**
 * Cancels the active executions of a workflow, in pages: of a transaction each on the pool, or all of them in the
 * caller's.
 *
 * @param around runs each page
 * @returns how many
 */
export async function cancelPages(
  db: Queryable,
  workflowId: string,
  reason: string,
  around = (page: () => Promise<CancelledPage>) => page(),
): Promise<number> {
  let total = 0;
  for (let after: string | null = FIRST; after !== null;) {
    const from: string = after;
    const page = await around(() => cancelPageOfWorkflow(db, workflowId, from, PAGE, reason));
    total += page.cancelled;
    after = page.after;
  }
  return total;
}
