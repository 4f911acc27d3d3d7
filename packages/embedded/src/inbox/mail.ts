/**
 * A stored mail, parsed when somebody looks at it.
 */
import { simpleParser, type Attachment } from 'mailparser';
import type { MailEntry } from './store.js';

export interface ParsedAttachment {
  /** Its number in the mail, from 0, as in `/api/messages/:id/attachments/:index`. */
  index: number;
  filename: string | null;
  contentType: string;
  /** Decoded bytes. */
  size: number;
  contentId: string | null;
  disposition: string | null;
}

export interface ParsedMail extends MailEntry {
  /** Every header in the mail's order, unfolded, not decoded. */
  headers: Array<{ name: string; value: string }>;
  text: string | null;
  /** The HTML part with `cid:` images replaced by their data; it is the sender's, so nothing in it may be trusted. */
  html: string | null;
  attachments: ParsedAttachment[];
}

// A body beyond this is not prepared for a page; its source can still be loaded.
const MAX_HTML = 5 * 1024 * 1024;

async function parse(source: Buffer) {
  return simpleParser(source, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    maxHtmlLengthToParse: MAX_HTML,
  });
}

/**
 * Parses a mail.
 *
 * @throws what the parser throws on a mail that it can't read
 */
export async function parseMail(entry: MailEntry, source: Buffer): Promise<ParsedMail> {
  const mail = await parse(source);
  return {
    ...entry,
    headers: (mail.headerLines ?? []).map(({ line }) => headerOf(line)),
    text: mail.text ?? null,
    html: mail.html || null,
    attachments: mail.attachments.map(describe),
  };
}

/** One attachment with its content; null when the mail has none of that number. */
export async function readAttachment(
  source: Buffer,
  index: number,
): Promise<(ParsedAttachment & { content: Buffer }) | null> {
  const found = (await parse(source)).attachments[index];
  return found ? { ...describe(found, index), content: found.content } : null;
}

function headerOf(line: string): { name: string; value: string } {
  const colon = line.indexOf(':');
  const unfolded = line.slice(colon + 1).replace(/\r?\n(?=[ \t])/g, '');
  return colon < 0 ? { name: '', value: line } : { name: line.slice(0, colon).trim(), value: unfolded.trim() };
}

function describe(attachment: Attachment, index: number): ParsedAttachment {
  return {
    index,
    filename: attachment.filename ?? null,
    contentType: attachment.contentType,
    size: attachment.size,
    contentId: attachment.cid ?? null,
    disposition: attachment.contentDisposition ?? null,
  };
}
