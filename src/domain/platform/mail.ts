/**
 * Mails of the platform itself: to its users, not for them. They go the way of every other mail, and are counted
 * nowhere.
 */
import { z } from 'zod';
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { insertEmail, insertMessage } from '../emails/sql/emails.js';
import { newId } from '../../ids.js';
import { decryptSecret, encryptSecret } from '../../mail/secrets.js';
import { ensurePlatformProject, PLATFORM_PROJECT } from './sender.js';

export interface PlatformMail {
  to: string;
  /** In the template language, as `body`. */
  subject: string;
  /** HTML; the text alternative is made of it. */
  body: string;
  /** What is secret or personal belongs here: it is encrypted until it is handed over. */
  variables: Record<string, string | number>;
}

/**
 * Queues a mail of the platform in the caller's transaction, so that there is one exactly if the transaction commits.
 * The caller wakes the dispatcher (topic `emails`) after that.
 */
export async function queuePlatformMail(
  tx: Queryable,
  { PLATFORM_FROM, SECRET_KEY }: Context['config'],
  { to, subject, body, variables }: PlatformMail,
): Promise<void> {
  const [messageId, projectId] = [newId(), PLATFORM_PROJECT];
  await ensurePlatformProject(tx);
  await insertMessage(tx, {
    id: messageId,
    projectId,
    type: 'TRANSACTIONAL',
    subject,
    body,
    from: PLATFORM_FROM.email,
    fromName: PLATFORM_FROM.name,
    // So that no holiday notice answers (RFC 3834, 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
  // A token that is stored hashed must not lie in the queue in the clear.
  const sealed = encryptSecret(SECRET_KEY, JSON.stringify(variables));
  await insertEmail(tx, {
    id: newId(),
    projectId,
    messageId,
    contactId: null,
    source: 'PLATFORM',
    type: 'TRANSACTIONAL',
    toEmail: to,
    variables: { sealed },
  });
}

const Sealed = z.object({ sealed: z.string() });
const Variables = z.record(z.string(), z.union([z.string(), z.number()]));

/** The variables of a queued mail of the platform. */
export function openVariables({ SECRET_KEY }: Context['config'], stored: unknown): z.infer<typeof Variables> {
  return Variables.parse(JSON.parse(decryptSecret(SECRET_KEY, Sealed.parse(stored).sealed)));
}
