/** Parses a stored mail when it is viewed. */
import { simpleParser } from 'mailparser';
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

/**
 * The mail, and the contents of its attachments in the same order.
 *
 * @throws the parser's error if the mail is not readable
 */
export async function parseMail(entry: MailEntry, source: Buffer): Promise<{ mail: ParsedMail; contents: Buffer[] }> {
  const { headerLines, text, html, attachments } = await simpleParser(source, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    maxHtmlLengthToParse: MAX_HTML_BYTES,
  });
  const mail: ParsedMail = {
    ...entry,
    headers: headerLines.map(({ line }) => parseHeader(line)),
    text: text ?? null,
    html: html || null,
    attachments: attachments.map((attachment, index) => ({
      index,
      filename: attachment.filename ?? null,
      contentType: attachment.contentType,
      size: attachment.size,
      contentId: attachment.cid ?? null,
      disposition: attachment.contentDisposition ?? null,
    })),
  };
  return { mail, contents: attachments.map(({ content }) => content) };
}

function parseHeader(line: string): { name: string; value: string } {
  const colon = line.indexOf(':');
  const unfolded = line.slice(colon + 1).replace(/\r?\n(?=[ \t])/g, '');
  return colon < 0 ? { name: '', value: line } : { name: line.slice(0, colon).trim(), value: unfolded.trim() };
}
