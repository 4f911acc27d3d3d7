/** Deleting contacts: `DELETE /contacts/:id`, and many at once. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { lockContacts } from './sql/bulk.js';
import { activeExecutionsOf, deleteContactRows, releaseEmails } from './sql/rows.js';
import { enqueue } from '../../db/outbox.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { givingWay } from '../give-way.js';

const REASON = 'The contact was deleted';

/**
 * Deletes a contact for good, with its events, its segment memberships and its executions.
 *
 * @throws CONTACT_NOT_FOUND (404), SERVICE_UNAVAILABLE (503, its rows are held for seconds)
 */
export async function deleteContact({ pool, wake }: Context, projectId: string, id: string): Promise<void> {
  if (!isId(id)) throw notFound('CONTACT');
  await givingWay(pool, async (tx) => {
    if ((await removeContacts(tx, projectId, [id])).length === 0) throw notFound('CONTACT');
  });
  wake('outbox');
}

/**
 * Deletes the contacts of these ids that exist, in the caller's transaction, which must give way
 * (src/domain/give-way.ts). The caller wakes the outbox after the commit.
 *
 * Marketing and headless emails that are still waiting become CANCELLED; transactional ones still go out, and what was
 * sent stays in the log without its contact. The Temporal workflows of their executions are told to end.
 *
 * @returns the ids of those that were there
 */
export async function removeContacts(tx: PoolClient, projectId: string, ids: string[]): Promise<string[]> {
  // First, so that nothing new can refer to them: no email, no event, no execution.
  const held = await lockContacts(tx, projectId, ids);
  if (held.length === 0) return [];
  await releaseEmails(tx, projectId, held, REASON);
  const active = await activeExecutionsOf(tx, projectId, held);
  await enqueue(
    tx,
    active.map((execution) => ({ action: 'cancel', workflowId: `execution:${execution}`, reason: REASON })),
  );
  await deleteContactRows(tx, projectId, held);
  return held;
}
