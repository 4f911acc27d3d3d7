/** Parses a stored mail when it is viewed. */
import { simpleParser, type Attachment } from 'mailparser';
import type { MailEntry } from './store.js';

export interface ParsedAttachment {
  /** Its position in the mail, from 0, as in `/api/messages/:id/attachments/:index`. */
  index: number;
  filename: string | null;
  contentType: string;
  /** Decoded bytes. */
  size: number;
  contentId: string | null;
  disposition: string | null;
}

export interface ParsedMail extends MailEntry {
  /** All headers in order, unfolded and not decoded. */
  headers: Array<{ name: string; value: string }>;
  text: string | null;
  /** The HTML part with `cid:` images replaced by their data. It is untrusted. */
  html: string | null;
  attachments: ParsedAttachment[];
}

// A larger body is not prepared for a page. Its source can still be downloaded.
const MAX_HTML_BYTES = 5 * 1024 * 1024;

async function parseSource(source: Buffer) {
  return simpleParser(source, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    maxHtmlLengthToParse: MAX_HTML_BYTES,
  });
}

/** @throws the parser's error if the mail is not readable */
export async function parseMail(entry: MailEntry, source: Buffer): Promise<ParsedMail> {
  const mail = await parseSource(source);
  return {
    ...entry,
    headers: (mail.headerLines ?? []).map(({ line }) => parseHeader(line)),
    text: mail.text ?? null,
    html: mail.html || null,
    attachments: mail.attachments.map(describeAttachment),
  };
}

/** One attachment with its content; null if the mail has no attachment at this position. */
export async function readAttachment(
  source: Buffer,
  index: number,
): Promise<(ParsedAttachment & { content: Buffer }) | null> {
  const found = (await parseSource(source)).attachments[index];
  return found ? { ...describeAttachment(found, index), content: found.content } : null;
}

function parseHeader(line: string): { name: string; value: string } {
  const colon = line.indexOf(':');
  const unfolded = line.slice(colon + 1).replace(/\r?\n(?=[ \t])/g, '');
  return colon < 0 ? { name: '', value: line } : { name: line.slice(0, colon).trim(), value: unfolded.trim() };
}

function describeAttachment(attachment: Attachment, index: number): ParsedAttachment {
  return {
    index,
    filename: attachment.filename ?? null,
    contentType: attachment.contentType,
    size: attachment.size,
    contentId: attachment.cid ?? null,
    disposition: attachment.contentDisposition ?? null,
  };
}
