/** A mail that a project received, as its event `email.received`. */
import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Context } from '../context.js';
import { upsertContacts } from '../domain/contacts/sql/contacts.js';
import { insertEvents } from '../domain/events/sql/events.js';
import { findOrigin, type EmailOrigin } from '../domain/feedback/sql/origin.js';
import { countReceived } from './sql.js';
import { claimNotification } from '../domain/feedback/sql/notifications.js';
import { isAddress, normalizeAddress } from '../domain/contacts/address.js';
import { idInMessageId } from '../domain/feedback/origin.js';
import { cleanLine, cleanText } from '../domain/feedback/text.js';
import { newId } from '../ids.js';
import { isAutomatic } from './automatic.js';
import type { InboundMail } from './parse.js';

const MOST_ATTACHMENTS = 50;
/** Mails of one contact in an hour. More is a loop whose other side doesn't say that it is a machine. */
const MOST_OF_CONTACT = 30;

export interface Delivery {
  /** The envelope's; empty where there is none. */
  sender: string;
  recipient: { address: string; projectId: string };
  mail: InboundMail;
}

/**
 * Stores a mail as an event of the contact that sent it, once for each Message-ID and recipient. Unknown senders become
 * contacts that are not subscribed.
 *
 * Automatic mails, and mails of this installation, are stored without a contact: such an event starts and wakes
 * nothing, so nothing can answer it.
 */
export async function storeReceived(
  ctx: Pick<Context, 'log'>,
  tx: PoolClient,
  { sender, recipient: { address, projectId }, mail }: Delivery,
): Promise<void> {
  if (!(await claimNotification(tx, 'inbound', identityOf(mail, projectId, address)))) return;
  const from = senderOf(mail, sender);
  const own = await originOf(tx, mail.header('message-id'));
  const repliedTo = await originOf(
    tx,
    [...mail.header('in-reply-to'), ...mail.header('references')].flatMap(
      (value) => value.match(/<[^<>]{1,300}>/g) ?? [],
    ),
  );
  const automatic = own !== null || isAutomatic(mail, sender);
  const contactId = automatic || !from || !isAddress(from) ? null : await contactOf(tx, projectId, from);
  const isLoop = contactId !== null && (await countReceived(tx, projectId, contactId)) >= MOST_OF_CONTACT;
  if (isLoop) ctx.log.warn({ projectId, contactId }, 'A contact sends too many mails: those on top start nothing');
  await insertEvents(tx, [
    {
      projectId,
      contactId: isLoop ? null : contactId,
      emailId: repliedTo?.projectId === projectId ? repliedTo.id : null,
      name: 'email.received',
      data: { ...contentOf(mail), from, to: address, automatic: automatic || isLoop },
    },
  ]);
}

/** A mail that comes again has its Message-ID again; one without is known by all that it consists of. */
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

function contentOf(mail: InboundMail): Record<string, unknown> {
  const line = (value: string | undefined, longest?: number): string | null => cleanLine(value ?? '', longest);
  return {
    fromName: line(mail.from?.name, 200),
    subject: line(mail.subject, 998),
    text: cleanText(mail.text).trimEnd(),
    textTruncated: mail.textTruncated,
    messageId: line(mail.header('message-id')[0]),
    inReplyTo: line(mail.header('in-reply-to')[0]),
    date: mail.date && !Number.isNaN(mail.date.getTime()) ? mail.date.toISOString() : null,
    attachments: mail.parts.slice(0, MOST_ATTACHMENTS).map(({ filename, contentType, size }) => ({
      filename: line(filename ?? '', 255),
      contentType: line(contentType, 255),
      size,
    })),
  };
}

/** The email of ours that the first of these Message-IDs names. */
async function originOf(tx: PoolClient, messageIds: string[]): Promise<EmailOrigin | null> {
  for (const messageId of messageIds.slice(0, 20)) {
    const id = idInMessageId(messageId);
    const found = id === null ? null : await findOrigin(tx, id);
    if (found) return found;
  }
  return null;
}

async function contactOf(tx: PoolClient, projectId: string, email: string): Promise<string | null> {
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
