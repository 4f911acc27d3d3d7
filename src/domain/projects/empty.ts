/** Empties a project, for its reset and its deletion. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { enqueue, type CancelIntent } from '../../db/outbox.js';
import { busyWorkflowsOf, cancelJobsOf, disableWorkflowsOf } from './sql/stop.js';
import { deleteContent, deletePage, LARGE_TABLES, listContactIds, type Position } from './sql/projects.js';
import { notFound } from '../../errors.js';
import { removeContacts } from '../contacts/delete.js';
import { cancelPages } from '../executions/cancel.js';
import { withLockTimeout, retryDeadlocks } from '../lock-timeout.js';
import { stopProject } from './stop.js';

/** The rows that one transaction deletes: less than a second of work. */
const DELETE_PAGE_SIZE = 5000;
/** Smaller, because each contact is deleted with its memberships, events, and executions. */
const CONTACT_PAGE_SIZE = 1000;

const LOCKED_MESSAGE =
  'Another operation has locked a part of this project. Everything that ran was canceled, and a part of the content ' +
  'may already be deleted. Try again to delete the rest.';

/**
 * Cancels everything that runs for a project, deletes its content, and runs `finish` in the last transaction.
 *
 * 1. Disables the workflows and cancels everything that runs, with the intents. From here on, no old content is sent.
 * 2. Deletes large tables in pages, one transaction per page. A million contacts then block neither workers nor the
 *    requests of other projects that share a statement with this project.
 * 3. Locks the project and deletes the rest: small tables, and rows that were added in the meantime.
 *
 * After a crash, nothing runs for the project and a part of its content is left; the next call continues. Concurrent
 * writes are never rejected: rows written before step 3 are deleted, and rows written after it stay.
 *
 * @param finish additional work of the last transaction
 * @throws PROJECT_NOT_FOUND (404), SERVICE_UNAVAILABLE (503) if another operation locks its rows for too long
 */
export async function emptyProject(
  ctx: Context,
  projectId: string,
  reason: string,
  finish?: (tx: PoolClient) => Promise<void>,
): Promise<void> {
  const cancelled = new Set<string>();
  const stop = async (tx: PoolClient): Promise<void> => {
    if (!(await stopProject(tx, projectId, reason))) throw notFound('PROJECT');
    const jobs = await cancelJobsOf(tx, projectId);
    await enqueue(
      tx,
      jobs.map(({ workflowId }): CancelIntent => ({ action: 'cancel', workflowId, reason })),
    );
    for (const { id } of jobs) cancelled.add(id);
  };

  const step = <T>(work: (tx: PoolClient) => Promise<T>): Promise<T> => withLockTimeout(ctx.pool, work, LOCKED_MESSAGE);

  await step((tx) => disableWorkflowsOf(tx, projectId));
  // Cancels most executions before the project is locked.
  for (const workflowId of await busyWorkflowsOf(ctx.pool, projectId))
    await cancelPages(ctx.pool, workflowId, reason, retryDeadlocks);
  await step(stop);
  ctx.wake('outbox');
  await deleteInPages(projectId, step);
  await step(async (tx) => {
    await stop(tx);
    await deleteContent(tx, projectId, [...cancelled]);
    await finish?.(tx);
  });
  ctx.wake('outbox');
}

async function deleteInPages(
  projectId: string,
  step: <T>(work: (tx: PoolClient) => Promise<T>) => Promise<T>,
): Promise<void> {
  for (const table of LARGE_TABLES) {
    let after: Position | null = null;
    do {
      const from: Position | null = after;
      after = await step((tx) => deletePage(tx, projectId, table, from, DELETE_PAGE_SIZE));
    } while (after !== null);
  }
  while (await step((tx) => deleteSomeContacts(tx, projectId)));
}

/** @returns whether contacts may be left */
async function deleteSomeContacts(tx: PoolClient, projectId: string): Promise<boolean> {
  const deleted = await removeContacts(tx, projectId, await listContactIds(tx, projectId, CONTACT_PAGE_SIZE));
  return deleted.length === CONTACT_PAGE_SIZE;
}
