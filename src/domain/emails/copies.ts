/**
 * Copies of an email (`cc` and `bcc` of `POST /v1/send`): emails of their own, each with its address, status, and bounces, whose
 * message is that of the original, byte for byte.
 */
import type { Queryable } from '../../db/pool.js';
import { UnsendableError, type EmailToCompose } from './compose.js';
import { findOriginal } from './sql/copies.js';
import type { MessageRow } from './sql/delivery.js';

/**
 * Returns the email as which a message is composed: for a copy, its original, and otherwise the email itself.
 *
 * @throws an error whose reason `unsendableReason` returns if the original was deleted
 */
export async function originalOf<Email extends EmailToCompose>(
  db: Queryable,
  email: Email,
  { projectId, copies }: Pick<MessageRow, 'projectId' | 'copies'>,
): Promise<Email> {
  const originalId = copies?.emailIds[0];
  if (originalId === undefined || originalId === email.id) return email;
  const original = await findOriginal(db, projectId, originalId);
  if (!original) throw new UnsendableError('The email of which this is a copy was deleted.');
  return { ...email, ...original, tracked: original.tracked ?? email.tracked };
}
