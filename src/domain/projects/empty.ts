/** Emptying a project, which its reset and its deletion share. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { enqueue, type CancelIntent } from '../../db/outbox.js';
import { busyWorkflowsOf, cancelJobsOf, disableWorkflowsOf } from './sql/stop.js';
import { deleteContent, deletePage, LARGE, someContacts, type Place } from './sql/projects.js';
import { notFound } from '../../errors.js';
import { removeContacts } from '../contacts/delete.js';
import { cancelPages } from '../executions/cancel.js';
import { withLockTimeout, retryDeadlocks } from '../lock-timeout.js';
import { stopProject } from './stop.js';

/** Rows of a transaction: a fraction of a second's work. */
const PAGE = 5000;
/** Contacts take memberships, events and executions along. */
const CONTACTS = 1000;

const HELD_UP =
  'Some of this is in use by something that takes long. What ran is cancelled, and a part of the content may be gone; try again for the rest.';

/**
 * Ends what runs for a project, deletes its content, and runs `finish` in the last transaction.
 *
 * 1. Everything that runs is cancelled, with the intents, and the workflows are disabled: from here on nothing of the
 * old content goes out.
 * 2. What there can be much of goes in pages of a transaction each, so that a million contacts hold up nobody: neither
 * the workers, nor the requests of
 *    other projects that share a statement with this one's.
 * 3. With the project locked against everybody, the rest goes: what is not large, and what came in meanwhile. When that
 * commits, nothing is left.
 *
 * A crash between them leaves a project that runs nothing, and a part of its content; the next call goes on. Writes of
 * others are never refused: they come before the third step and go with it, or after it and stay.
 *
 * @param finish what else the last transaction does
 * @throws PROJECT_NOT_FOUND (404), SERVICE_UNAVAILABLE (503) while its rows are held by something that takes long
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

  const step = <T>(work: (tx: PoolClient) => Promise<T>): Promise<T> => withLockTimeout(ctx.pool, work, HELD_UP);

  await step((tx) => disableWorkflowsOf(tx, projectId));
  // Most of them before the project is locked.
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
  for (const table of LARGE) {
    let after: Place | null = null;
    do {
      const from: Place | null = after;
      after = await step((tx) => deletePage(tx, projectId, table, from, PAGE));
    } while (after !== null);
  }
  while (await step((tx) => deleteSomeContacts(tx, projectId)));
}

/** @returns whether there may be more */
async function deleteSomeContacts(tx: PoolClient, projectId: string): Promise<boolean> {
  const deleted = await removeContacts(tx, projectId, await someContacts(tx, projectId, CONTACTS));
  return deleted.length === CONTACTS;
}
