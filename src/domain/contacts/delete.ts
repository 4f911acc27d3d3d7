/** `DELETE /contacts/:id`. */
import type { Context } from '../../context.js';
import { activeExecutionsOf, deleteContactRow, lockContact, releaseEmails } from '../../db/sql/contact-rows.js';
import { enqueue } from '../../db/sql/outbox.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { givingWay } from '../give-way.js';

const REASON = 'The contact was deleted';

/**
 * Deletes a contact for good, with its events, its segment memberships and its executions.
 *
 * Marketing and headless emails that are still waiting become CANCELLED; transactional ones still go out, and what was sent stays in
 * the log without its contact. The Temporal workflows of its executions are told to end.
 *
 * @throws CONTACT_NOT_FOUND (404), SERVICE_UNAVAILABLE (503, its rows are held for seconds)
 */
export async function deleteContact({ pool, wake }: Context, projectId: string, id: string): Promise<void> {
  if (!isId(id)) throw notFound('CONTACT');
  const executions = await givingWay(pool, async (tx) => {
    // First, so that nothing new can refer to it: no email, no event, no execution.
    if (!(await lockContact(tx, projectId, id))) throw notFound('CONTACT');
    await releaseEmails(tx, projectId, id, REASON);
    const active = await activeExecutionsOf(tx, projectId, id);
    await enqueue(
      tx,
      active.map((execution) => ({ action: 'cancel', workflowId: `execution:${execution}`, reason: REASON })),
    );
    await deleteContactRow(tx, projectId, id);
    return active;
  });
  if (executions.length > 0) wake('outbox');
}
