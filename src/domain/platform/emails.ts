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

/** Returns the body of an email with a heading, paragraphs of text, and a link (the variable `link`). */
export const platformBody = (title: string, paragraphs: readonly string[]): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:#1f2328">
<h1 style="margin:0 0 12px;font-size:22px;line-height:1.25">${title}</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
<p><a href="{{ link }}">{{ link }}</a></p>
</body>
</html>
`;

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
