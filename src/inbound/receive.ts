/** A mail that has come: what it means for the emails that it reports on, and for the projects that it was sent to. */
import type { PoolClient } from 'pg';
import type { Context } from '../context.js';
import { applyFeedback, type Feedback } from '../domain/feedback/sql/feedback.js';
import { findOrigin, type EmailOrigin } from '../domain/feedback/sql/origin.js';
import { findEmail } from '../domain/feedback/origin.js';
import { givingWay } from '../domain/give-way.js';
import type { InboundMail } from './parse.js';
import { storeReceived } from './received.js';
import type { Recipient } from './recipients.js';
import { readReport, type Report } from './report.js';
import { SmtpReply } from './reply.js';

export interface IncomingMail {
  /** The envelope's sender; empty where there is none. */
  sender: string;
  recipients: Recipient[];
  mail: InboundMail;
}

/** RFC 5321, 6.3 */
const MOST_HOPS = 100;

/**
 * Takes a mail: everything that it brings about is committed in one transaction, and a mail that comes again changes
 * nothing.
 *
 * Who may say what: a delivery status notification counts at a return path alone, whose token nobody has who hasn't
 * seen the mail, and about the mail of the token; a feedback report there, or at an inbound domain about a mail of that
 * project which it names by a token or its Message-ID. Anything else at a return path (automatic answers) has no
 * effect; at an inbound domain it is stored as an event. Nothing is ever answered.
 *
 * @throws SmtpReply for a mail that isn't taken; what the database throws
 */
export async function receiveMail(ctx: Context, { sender, recipients, mail }: IncomingMail): Promise<void> {
  if (mail.header('received').length > MOST_HOPS)
    throw new SmtpReply(554, '5.4.6 Too many hops, this mail is in a loop');
  const report = readReport(mail);
  await givingWay(ctx.pool, async (tx) => {
    const feedback: Feedback[] = [];
    for (const recipient of recipients) {
      const said = report ? await feedbackOf(ctx, tx, recipient, report) : null;
      if (said) feedback.push(said);
      else if (recipient.kind === 'mailbox') await storeReceived(ctx, tx, { sender, recipient, mail });
    }
    await applyFeedback(tx, feedback);
  });
  ctx.log.info({ report: report?.kind, recipients: recipients.length, bytes: mail.raw.length }, 'A mail was received');
}

/** What a report says to this recipient; null when it is none for it. */
async function feedbackOf(
  ctx: Context,
  tx: PoolClient,
  recipient: Recipient,
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
          : await findOwn(ctx, tx, recipient.projectId, report);
      return email && { kind: 'complained', reason: report.reason, emailId: email.id, at };
    }
    default:
      return report satisfies never;
  }
}

/** The mail of the project that a feedback report is about. */
async function findOwn(
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
