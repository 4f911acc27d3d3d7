/** Deleting contacts: one by `DELETE /contacts/:id`, or many. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { lockContacts } from './sql/bulk.js';
import { activeExecutionsOf, deleteContactRows, lockSnapshots, releaseEmails } from './sql/rows.js';
import { enqueue } from '../../db/outbox.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { withLockTimeout } from '../lock-timeout.js';

const CANCEL_REASON = 'The contact was deleted.';

/**
 * Permanently deletes a contact with its events, segment memberships, and executions.
 *
 * @throws CONTACT_NOT_FOUND (404), SERVICE_UNAVAILABLE (503, its rows stay locked for seconds)
 */
export async function deleteContact({ pool, wake }: Context, projectId: string, id: string): Promise<void> {
  if (!isId(id)) throw notFound('CONTACT');
  await withLockTimeout(pool, async (tx) => {
    if ((await removeContacts(tx, projectId, [id])).length === 0) throw notFound('CONTACT');
  });
  wake('outbox');
}

/**
 * Deletes the contacts with these ids, in the caller's transaction, which must have a lock timeout
 * (src/domain/lock-timeout.ts). The caller wakes the outbox after the commit.
 *
 * Pending marketing and headless emails become CANCELLED. Pending transactional emails are still sent. Sent emails stay in
 * the log without their contact. The Temporal workflows of the contacts' executions are canceled.
 *
 * @returns the ids of the deleted contacts
 */
export async function removeContacts(tx: PoolClient, projectId: string, ids: string[]): Promise<string[]> {
  // The locks keep new emails, events, and executions from referring to these contacts.
  await lockSnapshots(tx, projectId);
  const locked = await lockContacts(tx, projectId, ids);
  if (locked.length === 0) return [];
  await releaseEmails(tx, projectId, locked, CANCEL_REASON);
  const active = await activeExecutionsOf(tx, projectId, locked);
  await enqueue(
    tx,
    active.map((execution) => ({ action: 'cancel', workflowId: `execution:${execution}`, reason: CANCEL_REASON })),
  );
  await deleteContactRows(tx, projectId, locked);
  return locked;
}
