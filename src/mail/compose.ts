/** Composes an email as MIME. Pure: the same message gives the same bytes, so a retry sends the same email. */
import { hash } from 'node:crypto';
import { ComposeError, type MailAddress } from './address.js';
import { addressLine, customHeaderLines, headerLine } from './headers.js';
import { htmlToText } from './html-text.js';
import { encodeBase64, encodeText } from './mime-encode.js';
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
  replyTo?: string;
  /** One line; a line break becomes a space. */
  subject: string;
  html: string;
  /** The text alternative. If absent, it is derived from `html`, which costs more than everything else. */
  text?: string;
  /** Custom headers. Reserved ones are ignored. */
  headers: Record<string, string>;
  attachments: OutgoingAttachment[];
  /** RFC 8058: a POST to `url` unsubscribes without confirmation. */
  listUnsubscribe?: { url: string; mailto?: string };
  /** Adds `Precedence: bulk`. */
  bulk: boolean;
}

/**
 * Composes the unsigned message: `multipart/alternative` of text and HTML, with the inline images in a
 * `multipart/related` inside it, and the attachments in a `multipart/mixed` around it. All bytes are ASCII, except for a
 * non-ASCII local part. Lines end with CRLF and have at most 998 characters.
 *
 * @throws ComposeError for a malformed address or date
 */
export function compose(message: OutgoingMessage): Buffer {
  const boundary = boundaryOf(message.messageId);
  const inline = message.attachments.filter((attachment) => attachment.disposition === 'inline');
  const attached = message.attachments.filter((attachment) => attachment.disposition === 'attachment');

  let body = textPart('html', message.html);
  if (inline.length > 0)
    body = multipart('related', `${boundary}-r`, [body, ...inline.map(attachmentPart)], '; type="text/html"');
  body = multipart('alternative', `${boundary}-a`, [textPart('plain', message.text ?? htmlToText(message.html)), body]);
  if (attached.length > 0) body = multipart('mixed', `${boundary}-m`, [body, ...attached.map(attachmentPart)]);

  return Buffer.from(`${headerBlock(message)}${body}\r\n`);
}

function headerBlock(message: OutgoingMessage): string {
  const present: string[] = [];
  let lines = addressLine('From', message.from) + addressLine('To', message.to);
  if (message.replyTo !== undefined) lines += addressLine('Reply-To', { address: message.replyTo });
  lines += `${headerLine('Subject', message.subject)}Message-ID: <${idOf(message.messageId)}>\r\nDate: ${dateOf(message.date)}\r\n`;
  if (message.listUnsubscribe) {
    const { url, mailto } = message.listUnsubscribe;
    lines += `List-Unsubscribe: <${uriOf(url)}>${mailto === undefined ? '' : `,\r\n <mailto:${uriOf(mailto)}>`}\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`;
  }
  if (message.bulk) {
    lines += 'Precedence: bulk\r\n';
    present.push('precedence');
  }
  return `${lines}${customHeaderLines(message.headers, { present, bulk: message.bulk })}MIME-Version: 1.0\r\n`;
}

function textPart(subtype: 'plain' | 'html', text: string): string {
  const { encoding, content } = encodeText(text);
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

/** Removes characters that could end the angle brackets. */
// oxlint-disable-next-line no-control-regex -- control characters are what has to go
const idOf = (id: string): string => id.replace(/[\u0000-\u0020\u007f-\uffff<>]/g, '');
// oxlint-disable-next-line no-control-regex -- control characters are what has to go
const uriOf = (uri: string): string => encodeURI(uri.replace(/[\u0000-\u0020\u007f<>,]/g, '')).replaceAll('%25', '%');

function dateOf(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new ComposeError('The date of the email is invalid.');
  return date.toUTCString().replace('GMT', '+0000');
}

/** Derives the boundary from the Message-ID, so that it is stable. Quoted-printable never contains `=_`. */
const boundaryOf = (messageId: string): string => `=_${hash('sha256', messageId, 'base64url').slice(0, 24)}`;
