/** Cancels executions through the API. Canceled is final: a later timer or event finds an execution that has ended. */
import type { ApiContext, Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { conflict, notFound } from '../../errors.js';
import { FIRST_ID, isId } from '../../ids.js';
import { retryDeadlocks } from '../lock-timeout.js';
import { findExecution, type Execution } from './get.js';
import { cancelExecutionRows, cancelPageOfWorkflow, hasWorkflow, type CanceledPage } from './sql/executions.js';
import { CANCELLED_BY_API } from './words.js';

/** Executions per transaction; they take about half a second. */
const CANCEL_PAGE_SIZE = 5000;

/**
 * Cancels an active execution: its row, its current step, and (through an intent) its Temporal workflow, in one
 * transaction.
 *
 * @throws WORKFLOW_NOT_FOUND, EXECUTION_NOT_FOUND (404); CONFLICT (409, it has ended and stays as it is)
 */
export async function cancelExecution(
  ctx: ApiContext,
  projectId: string,
  workflowId: string,
  id: string,
): Promise<Execution> {
  await findExecution(ctx, projectId, workflowId, id);
  const canceled = await retryDeadlocks(() => cancelExecutionRows(ctx.pool, [id], CANCELLED_BY_API));
  const execution = await findExecution(ctx, projectId, workflowId, id);
  if (canceled.length === 0) throw conflict(`The execution has already ended with the status ${execution.status}.`);
  ctx.wake('outbox');
  return execution;
}

/**
 * Cancels every active execution of a workflow, in pages of one transaction each. If a call is interrupted, the
 * committed pages stay canceled, and a repeated call cancels the rest.
 *
 * @returns the number of canceled executions
 * @throws WORKFLOW_NOT_FOUND (404)
 */
export async function cancelAllExecutions(ctx: Context, projectId: string, workflowId: string): Promise<number> {
  if (!isId(workflowId) || !(await hasWorkflow(ctx.pool, projectId, workflowId))) throw notFound('WORKFLOW');
  return cancelPages(ctx.pool, workflowId, CANCELLED_BY_API, (page) =>
    retryDeadlocks(page).finally(() => ctx.wake('outbox')),
  );
}

/**
 * Cancels the active executions of a workflow, in pages: one transaction per page on the pool, or all in the caller's
 * transaction.
 *
 * @param runPage runs each page
 * @returns the number of canceled executions
 */
export async function cancelPages(
  db: Queryable,
  workflowId: string,
  reason: string,
  runPage = (page: () => Promise<CanceledPage>) => page(),
): Promise<number> {
  let total = 0;
  for (let lastContactId: string | null = FIRST_ID; lastContactId !== null;) {
    const after: string = lastContactId;
    const page = await runPage(() => cancelPageOfWorkflow(db, workflowId, after, CANCEL_PAGE_SIZE, reason));
    total += page.canceled;
    lastContactId = page.lastContactId;
  }
  return total;
}
