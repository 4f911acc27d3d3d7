/** Composes an email as MIME. Pure: the same message gives the same bytes, so a retry sends the same email. */
import { hash } from 'node:crypto';
import { ComposeError, type MailAddress } from './address.js';
import { identityLines, type BulkIdentity } from './bulk-identity.js';
import { addressesLine, addressLine, customHeaderLines, headerLine, namesOf } from './headers.js';
import { htmlToText } from './html-text.js';
import { encodeBase64, encodeText, type EncodedBody } from './mime-encode.js';
import { encodeParameter, encodeUnstructured } from './mime-words.js';

export interface OutgoingAttachment {
  filename: string;
  content: Buffer;
  contentType: string;
  /** The body references it as `cid:…`. Without angle brackets. */
  contentId?: string;
  disposition: 'attachment' | 'inline';
}

export interface OutgoingMessage {
  /** Without angle brackets. */
  messageId: string;
  date: Date;
  from: MailAddress;
  to: MailAddress;
  cc?: readonly MailAddress[];
  replyTo?: string;
  /** One line; a line break becomes a space. */
  subject: string;
  html: string;
  /** The text alternative. If absent, it is derived from `html`, which costs more than everything else. */
  text?: string;
  /** Custom headers. Reserved ones are ignored. */
  headers: Record<string, string>;
  attachments: OutgoingAttachment[];
  /** RFC 8058: a POST to `url` unsubscribes without confirmation, and so does a mail to the address `mailto`. */
  listUnsubscribe?: { url: string; mailto?: string };
  /** Adds `Precedence: bulk`. */
  bulk: boolean;
  /** Adds `Feedback-ID` and `List-ID`, unless `headers` has them. */
  identity?: BulkIdentity;
}

/**
 * Composes the unsigned message: `multipart/alternative` of text and HTML, with the inline images in a
 * `multipart/related` inside it, and the attachments in a `multipart/mixed` around it. All bytes are ASCII, except for a
 * non-ASCII local part. Lines end with CRLF and have at most 998 characters.
 *
 * @param otherHeaders the result of `otherHeaderLines`, if the caller has it
 * @throws ComposeError for a malformed address or date
 */
export function compose(message: OutgoingMessage, otherHeaders = otherHeaderLines(message.headers, message)): Buffer {
  const body = multipartBody({
    boundary: deriveBoundary(message.messageId),
    text: encodeText(message.text ?? htmlToText(message.html)),
    html: encodeText(message.html),
    attachments: message.attachments,
  });
  const { from, to, cc, replyTo, subject, messageId, date, listUnsubscribe } = message;
  return Buffer.from(
    addressLine('From', from) +
      addressLine('To', to) +
      ccLine(cc) +
      replyToLine(replyTo) +
      headerLine('Subject', subject) +
      messageIdLine(messageId) +
      dateLine(date) +
      listUnsubscribeLines(listUnsubscribe) +
      otherHeaders +
      body,
  );
}

export const ccLine = (addresses: readonly MailAddress[] = []): string =>
  addresses.length === 0 ? '' : addressesLine('Cc', addresses);

export const replyToLine = (address: string | undefined): string =>
  address === undefined ? '' : addressLine('Reply-To', { address });

/** @param messageId without angle brackets */
export const messageIdLine = (messageId: string): string => `Message-ID: <${idOf(messageId)}>\r\n`;

/** @throws ComposeError for an invalid date */
export function dateLine(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new ComposeError('The date of the email is invalid.');
  return `Date: ${date.toUTCString().replace('GMT', '+0000')}\r\n`;
}

export function listUnsubscribeLines(target: OutgoingMessage['listUnsubscribe']): string {
  if (!target) return '';
  // Some mail programs do not send a mail without a subject.
  const mailto = target.mailto === undefined ? '' : `,\r\n <mailto:${uriOf(target.mailto)}?subject=unsubscribe>`;
  return `List-Unsubscribe: <${uriOf(target.url)}>${mailto}\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`;
}

/** Returns the headers that all emails of a message share, except for its addresses. */
export function otherHeaderLines(
  headers: Record<string, string>,
  { bulk, identity }: Pick<OutgoingMessage, 'bulk' | 'identity'>,
): string {
  const custom = customHeaderLines(headers, { present: bulk ? ['precedence'] : [], bulk });
  const own = identity ? identityLines(identity, namesOf(headers)) : '';
  return `${bulk ? 'Precedence: bulk\r\n' : ''}${own}${custom}MIME-Version: 1.0\r\n`;
}

/** Returns the message from its Content-Type to its end. */
export function multipartBody({
  boundary,
  text,
  html,
  attachments,
}: {
  boundary: string;
  text: EncodedBody;
  html: EncodedBody;
  attachments: OutgoingAttachment[];
}): string {
  const inline = attachments.filter((attachment) => attachment.disposition === 'inline');
  const attached = attachments.filter((attachment) => attachment.disposition === 'attachment');
  let body = textPart('html', html);
  if (inline.length > 0)
    body = multipart('related', `${boundary}-r`, [body, ...inline.map(attachmentPart)], '; type="text/html"');
  body = multipart('alternative', `${boundary}-a`, [textPart('plain', text), body]);
  if (attached.length > 0) body = multipart('mixed', `${boundary}-m`, [body, ...attached.map(attachmentPart)]);
  return `${body}\r\n`;
}

function textPart(subtype: 'plain' | 'html', { encoding, content }: EncodedBody): string {
  return `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${content}`;
}

function multipart(subtype: string, boundary: string, parts: string[], parameters = ''): string {
  const delimiter = `\r\n--${boundary}`;
  return `Content-Type: multipart/${subtype}${parameters};\r\n boundary="${boundary}"\r\n${parts.map((part) => `${delimiter}\r\n${part}`).join('')}${delimiter}--`;
}

// A request can send an attachment to 1,000 recipients; it is encoded once.
const encodedContents = new WeakMap<Buffer, string>();

function attachmentPart(attachment: OutgoingAttachment): string {
  const { filename, contentId, disposition } = attachment;
  const content = encodedContents.get(attachment.content) ?? encodeBase64(attachment.content);
  encodedContents.set(attachment.content, content);
  // Old email clients only read `name`, with encoded words.
  const name = encodeUnstructured(filename, 8).replace(/[\\"]/g, String.raw`\$&`);
  return (
    `Content-Type: ${typeOf(attachment.contentType)};\r\n name="${name}"\r\nContent-Transfer-Encoding: base64\r\n` +
    `Content-Disposition: ${disposition}${encodeParameter('filename', filename)}\r\n` +
    `${contentId === undefined ? '' : `Content-ID: <${idOf(contentId)}>\r\n`}\r\n${content}`
  );
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\\r\n]*"))*$/;

/** Returns the declared media type, or octet-stream if it is malformed or does not allow base64 (RFC 2045, 6.4). */
function typeOf(contentType: string): string {
  return contentType.length <= 200 && MEDIA_TYPE.test(contentType) && !/^(?:multipart|message)\//i.test(contentType)
    ? contentType
    : 'application/octet-stream';
}

// oxlint-disable-next-line no-control-regex -- control characters are what has to go
const UNSAFE_IN_ID = /[\u0000-\u0020\u007f-\uffff<>]/;

/** Removes characters that could end the angle brackets. */
const idOf = (id: string): string => (UNSAFE_IN_ID.test(id) ? id.replace(new RegExp(UNSAFE_IN_ID, 'g'), '') : id);

/** The characters of our own links, which stay as they are. */
const PLAIN_URI = /^[\w:/.@-]*$/;

function uriOf(uri: string): string {
  if (PLAIN_URI.test(uri)) return uri;
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
  return encodeURI(uri.replace(/[\u0000-\u0020\u007f<>,]/g, '')).replaceAll('%25', '%');
}

/** Derives a stable boundary from an id or a content. Quoted-printable never contains `=_`. */
export const deriveBoundary = (source: string): string => `=_${hash('sha256', source, 'base64url').slice(0, 24)}`;
