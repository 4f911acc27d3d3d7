/**
 * Applies an inbound mail: feedback on the emails that it reports on, or an event of the project that it was sent to.
 */
import type { PoolClient } from 'pg';
import type { Context } from '../context.js';
import { applyFeedback, type Feedback } from '../domain/feedback/sql/feedback.js';
import { findOrigin, type EmailOrigin } from '../domain/feedback/sql/origin.js';
import { findEmail } from '../domain/feedback/origin.js';
import { unsubscribeByMail } from '../domain/contacts/subscription.js';
import { withLockTimeout } from '../domain/lock-timeout.js';
import { TEMPORARY_ERROR, type MailAuthentication } from './authentication.js';
import type { InboundMail } from './parse.js';
import { storeReceived } from './received.js';
import type { Recipient } from './recipients.js';
import { readReport, type Report } from './report.js';
import { SmtpReply } from './reply.js';

export interface IncomingMail {
  /** The sender of the envelope; empty for a null sender. */
  sender: string;
  recipients: Recipient[];
  mail: InboundMail;
  /** Null if no recipient is a mailbox. */
  authentication: MailAuthentication | null;
}

/** RFC 5321, section 6.3. */
const MAX_HOPS = 100;

/**
 * Applies a mail in one transaction. A repeated mail changes nothing.
 *
 * - A delivery status notification counts only at a return path, and only for the email of its token, because only
 *   readers of the mail know the token.
 * - A feedback report counts at a return path, or at an inbound domain for an email of that project that it names by a
 *   token or its Message-ID.
 * - Any other mail to a return path, such as an automatic reply, has no effect.
 * - Any mail to an unsubscribe address unsubscribes the recipient of its email, because only readers of the email know
 *   the address. So do automatic mails: mail programs write them.
 * - Any other mail to an inbound domain is stored as an event.
 *
 * @throws SmtpReply for a rejected mail; database errors
 */
export async function receiveMail(
  ctx: Context,
  { sender, recipients, mail, authentication }: IncomingMail,
): Promise<void> {
  if (mail.header('received').length > MAX_HOPS)
    throw new SmtpReply(554, '5.4.6 Too many hops, this mail is in a loop');
  const report = readReport(mail);
  await withLockTimeout(ctx.pool, async (tx) => {
    const feedback: Feedback[] = [];
    for (const recipient of recipients) {
      if (recipient.kind === 'unsubscribe') {
        await unsubscribeByMail(tx, recipient);
        continue;
      }
      const entry = report ? await feedbackOf(ctx, tx, recipient, report) : null;
      if (entry) feedback.push(entry);
      else if (recipient.kind === 'mailbox')
        await storeReceived(ctx, tx, {
          sender,
          recipient,
          mail,
          authentication: authentication ?? TEMPORARY_ERROR,
        });
    }
    await applyFeedback(tx, feedback);
  });
  ctx.log.info({ report: report?.kind, recipients: recipients.length, bytes: mail.raw.length }, 'Received a mail');
}

/** Returns the feedback of a report to this recipient, or null if it has none. */
async function feedbackOf(
  ctx: Context,
  tx: PoolClient,
  recipient: Exclude<Recipient, { kind: 'unsubscribe' }>,
  report: Report,
): Promise<Feedback | null> {
  const at = new Date();
  switch (report.kind) {
    case 'bounced':
      return recipient.kind === 'return_path' ? { ...report, emailId: recipient.emailId, at } : null;
    case 'delivered':
      return recipient.kind === 'return_path' ? { kind: 'delivered', emailId: recipient.emailId, at } : null;
    case 'complained': {
      const email =
        recipient.kind === 'return_path'
          ? { id: recipient.emailId }
          : await findReportedEmail(ctx, tx, recipient.projectId, report);
      return email && { kind: 'complained', reason: report.reason, emailId: email.id, at };
    }
    default:
      return report satisfies never;
  }
}

/** Finds the email of the project that a feedback report is about. */
async function findReportedEmail(
  ctx: Context,
  tx: PoolClient,
  projectId: string,
  { names, unsubscribeTokens }: Extract<Report, { kind: 'complained' }>,
): Promise<EmailOrigin | null> {
  const linked = unsubscribeTokens
    .map((token) => ctx.links.verify(token, 'unsubscribe')?.emailId)
    .find((id) => id !== undefined);
  const found = (linked === undefined ? null : await findOrigin(tx, linked)) ?? (await findEmail(ctx, tx, names));
  return found?.projectId === projectId ? found : null;
}
