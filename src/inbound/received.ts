/** Stores a mail to a project as the event `email.received`. */
import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Context } from '../context.js';
import { upsertContacts } from '../domain/contacts/sql/contacts.js';
import { insertEvents } from '../domain/events/insert.js';
import { findOrigin, type EmailOrigin } from '../domain/feedback/sql/origin.js';
import { countReceived } from './sql.js';
import { claimNotification } from '../domain/feedback/sql/notifications.js';
import { isAddress, normalizeAddress } from '../address.js';
import { idInMessageId } from '../domain/feedback/origin.js';
import { cleanLine, cleanText } from '../domain/feedback/text.js';
import { newId } from '../ids.js';
import type { Authentication, MailAuthentication } from './authentication.js';
import { isAutomatic } from './automatic.js';
import type { InboundMail } from './parse.js';

const MAX_ATTACHMENTS = 50;
/** Mails per contact and hour. More of them are a loop with a machine that does not identify itself. */
const MAX_MAILS_PER_CONTACT = 30;

export interface Delivery {
  /** The sender of the envelope; empty for a null sender. */
  sender: string;
  recipient: { address: string; projectId: string };
  mail: InboundMail;
  authentication: MailAuthentication;
}

/**
 * Stores a mail as an event of the contact that sent it, once for each Message-ID and recipient. Unknown senders become
 * unsubscribed contacts.
 *
 * Automatic mails and mails of this installation are stored without a contact. Such an event starts and wakes nothing,
 * so no workflow can reply to it.
 */
export async function storeReceived(
  ctx: Pick<Context, 'log'>,
  tx: PoolClient,
  { sender, recipient: { address, projectId }, mail, authentication }: Delivery,
): Promise<void> {
  if (!(await claimNotification(tx, 'inbound', identityOf(mail, projectId, address)))) return;
  const from = senderOf(mail, sender);
  const ownEmail = await findByMessageIds(tx, mail.header('message-id'));
  const repliedTo = await findByMessageIds(
    tx,
    [...mail.header('in-reply-to'), ...mail.header('references')].flatMap(
      (value) => value.match(/<[^<>]{1,300}>/g) ?? [],
    ),
  );
  const automatic = ownEmail !== null || isAutomatic(mail, sender);
  const contactId = automatic || !from || !isAddress(from) ? null : await upsertSender(tx, projectId, from);
  const isLoop = contactId !== null && (await countReceived(tx, projectId, contactId)) >= MAX_MAILS_PER_CONTACT;
  if (isLoop)
    ctx.log.warn({ projectId, contactId }, 'A contact sends too many mails; further mails start no workflows');
  await insertEvents(tx, [
    {
      projectId,
      contactId: isLoop ? null : contactId,
      emailId: repliedTo?.projectId === projectId ? repliedTo.id : null,
      name: 'email.received',
      data: {
        ...contentOf(mail),
        from,
        to: address,
        automatic: automatic || isLoop,
        authentication: authenticationOf(authentication, from),
      },
    },
  ]);
}

/** Identifies a repeated mail by its Message-ID, or by its bytes if it has none. */
function identityOf({ header, raw }: InboundMail, projectId: string, address: string): string {
  const [messageId = ''] = header('message-id');
  return createHash('sha256')
    .update(`${projectId}\n${address}\n${messageId.trim()}\n`)
    .update(messageId.trim() === '' ? raw : '')
    .digest('base64url');
}

function senderOf({ from }: InboundMail, sender: string): string | null {
  const address = normalizeAddress(cleanLine(from?.address || sender, 320) ?? '');
  return address === '' ? null : address;
}

/**
 * The results as the event has them. DMARC counts only for the address that the event has in `from`: two parsers can
 * disagree about a malformed header, and `from` can be the sender of the envelope.
 */
function authenticationOf({ spf, dkim, dmarc, fromDomain }: MailAuthentication, from: string | null): Authentication {
  const isSameDomain = fromDomain !== null && from?.endsWith(`@${fromDomain}`) === true;
  return { spf, dkim, dmarc: dmarc === 'pass' && !isSameDomain ? 'permerror' : dmarc };
}

function contentOf(mail: InboundMail): Record<string, unknown> {
  const line = (value: string | undefined, maxLength?: number): string | null => cleanLine(value ?? '', maxLength);
  return {
    fromName: line(mail.from?.name, 200),
    subject: line(mail.subject, 998),
    text: cleanText(mail.text).trimEnd(),
    textTruncated: mail.textTruncated,
    messageId: line(mail.header('message-id')[0]),
    inReplyTo: line(mail.header('in-reply-to')[0]),
    date: mail.date && !Number.isNaN(mail.date.getTime()) ? mail.date.toISOString() : null,
    attachments: mail.parts.slice(0, MAX_ATTACHMENTS).map(({ filename, contentType, size }) => ({
      filename: line(filename ?? '', 255),
      contentType: line(contentType, 255),
      size,
    })),
  };
}

/** Returns the email of ours that the first matching Message-ID names. */
async function findByMessageIds(tx: PoolClient, messageIds: string[]): Promise<EmailOrigin | null> {
  for (const messageId of messageIds.slice(0, 20)) {
    const id = idInMessageId(messageId);
    const found = id === null ? null : await findOrigin(tx, id);
    if (found) return found;
  }
  return null;
}

async function upsertSender(tx: PoolClient, projectId: string, email: string): Promise<string | null> {
  const [contact] = await upsertContacts(tx, {
    projectId,
    contacts: [{ id: newId(), email }],
    set: {},
    unset: [],
    subscribed: undefined,
    subscribedByDefault: false,
  });
  return contact?.id ?? null;
}
