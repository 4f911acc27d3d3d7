/** Test emails of templates and campaigns. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { newId } from '../../ids.js';
import { getContact, type Contact } from '../contacts/get.js';
import { lockContactOfAddress } from '../contacts/sql/rows.js';
import { requireVerifiedSender } from '../domains/sender.js';
import { insertEmail, insertMessage } from '../emails/sql/emails.js';
import { requireUsable } from '../problems.js';
import { listContentErrors } from './facts.js';
import type { Content } from './problems.js';

export interface TestRecipient {
  email: string;
  /** The contact whose data is shown. Default: the contact of the address, if one exists. */
  contactId?: string;
}

/** A content that was saved, perhaps as a draft. */
export interface TestedContent extends Content {
  fromName: string | null;
  replyTo: string | null;
  draft: boolean;
}

export interface TestEmail {
  /** The email's id, for `GET /emails/:id`. */
  id: string;
  email: string;
  status: 'PENDING';
}

/**
 * Sends a content to one address, rendered with the data of a contact. It is not counted: it creates no contact and no
 * event. `compose.ts` adds `[TEST] ` to the subject. Links to the pages of a contact lead to those of the address.
 *
 * @throws CONTACT_NOT_FOUND (404); VALIDATION_ERROR (422) that lists the errors of a draft; 403 if the sender's domain
 * is not verified
 */
export async function sendTest(
  ctx: Context,
  projectId: string,
  content: TestedContent,
  { email, contactId }: TestRecipient,
): Promise<TestEmail> {
  if (content.draft) {
    const [errors = []] = await listContentErrors(ctx.pool, projectId, [content]);
    requireUsable(errors, 'The draft cannot be sent.');
  }
  const { type, subject, preheader, body, from, fromName, replyTo } = content;
  if (subject === null || body === null || from === null) throw new Error('A complete content lacks a field');
  await requireVerifiedSender(ctx.pool, projectId, from);
  const shown = contactId === undefined ? null : await getContact(ctx, projectId, contactId);
  const emailId = newId();
  await transaction(ctx.pool, async (tx) => {
    const recipientId = await lockContactOfAddress(tx, projectId, email);
    const messageId = newId();
    await insertMessage(tx, { id: messageId, projectId, type, subject, preheader, body, from, fromName, replyTo });
    await insertEmail(tx, {
      id: emailId,
      projectId,
      messageId,
      contactId: recipientId,
      source: 'TEST',
      type,
      toEmail: email,
      variables: shown && shown.id !== recipientId ? { contact: aboutOf(shown) } : null,
    });
  });
  ctx.wake('emails');
  return { id: emailId, email, status: 'PENDING' };
}

const aboutOf = ({ id, email, data }: Contact) => ({ id, email, data });
