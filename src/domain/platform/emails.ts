/** Emails of the platform to its users. They are sent like all other emails and count toward no limit. */
import { z } from 'zod';
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { insertEmail, insertMessage } from '../emails/sql/emails.js';
import { newId } from '../../ids.js';
import { decryptSecret, encryptSecret } from '../../mail/secrets.js';
import { ensurePlatformProject, PLATFORM_PROJECT } from './sender.js';

export interface PlatformEmail {
  to: string;
  /** In the template language, like `body`. */
  subject: string;
  /** HTML. The text alternative is generated from it. */
  body: string;
  /** Secret and personal values belong here, because they are stored encrypted. */
  variables: Record<string, string | number>;
}

/** Queues an email in the caller's transaction. Wake the dispatcher (topic `emails`) after the commit. */
export async function queuePlatformEmail(
  tx: Queryable,
  { PLATFORM_FROM, SECRET_KEY }: Context['config'],
  { to, subject, body, variables }: PlatformEmail,
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
    // Prevents automatic replies (RFC 3834, section 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
  // The variables contain tokens, which the database otherwise stores only hashed.
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

/** Decrypts the variables of a queued platform email. */
export function decryptVariables({ SECRET_KEY }: Context['config'], stored: unknown): z.infer<typeof Variables> {
  return Variables.parse(JSON.parse(decryptSecret(SECRET_KEY, Sealed.parse(stored).sealed)));
}
