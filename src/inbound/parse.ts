/** Parses the bytes of a mail, within limits. */
import { EventEmitter } from 'node:events';
import type { AttachmentStream, HeaderLines, Headers, MailParser, MessageText } from 'mailparser';
import { htmlToTextOnce } from '../mail/html-text.js';

export interface InboundPart {
  /** In lower case, without parameters. */
  contentType: string;
  filename: string | null;
  /** In bytes, decoded. */
  size: number;
  /** The first 64 KB for the parts of a report; empty for other parts. */
  content: Uint8Array;
}

/** The parsed mail as plain data, which can be sent between threads. */
export interface ReadMail {
  /** All values of each header, unfolded, not decoded. */
  headers: Map<string, string[]>;
  /** The type of the whole mail, in lower case, without parameters. */
  contentType: string;
  subject: string;
  /** The first address of From; null if there is none. */
  from: { address: string; name: string } | null;
  date: Date | null;
  /** The first 20,000 characters of the text part, or of the HTML part converted to text. */
  text: string;
  textTruncated: boolean;
  /** Attachments, and the machine-readable parts of reports. */
  parts: InboundPart[];
}

export interface InboundMail extends ReadMail {
  raw: Buffer;
  header: (name: string) => string[];
}

/** In characters. The text becomes part of a workflow's context, so it must stay small. */
const MAX_TEXT_LENGTH = 20_000;
const MAX_HTML_LENGTH = 200_000;
/** In bytes, for each part of a report. */
const MAX_PART_SIZE = 64 * 1024;

const PARSER_OPTIONS = {
  // More than any legitimate mail needs.
  maxHeadSize: 256 * 1024,
  maxChildNodes: 500,
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  // Keeps the parts of reports out of the text.
  keepDeliveryStatus: true,
  ignoreEmbedded: true,
};

export const toInboundMail = (raw: Buffer, read: ReadMail): InboundMail => ({
  ...read,
  raw,
  header: (name) => read.headers.get(name) ?? [],
});

/**
 * Parses a mail in this thread. A malicious mail can take minutes; mail-threads.ts limits the time.
 *
 * @throws what the parser throws for a mail that cannot be read or exceeds a limit
 */
export async function readMail(raw: Uint8Array): Promise<ReadMail> {
  // Only the thread that parses loads the library, which needs 20 MB.
  const { MailParser } = await import('mailparser');
  const parser = new MailParser(PARSER_OPTIONS);
  try {
    return await collectParts(parser, Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  } finally {
    parser.destroy();
  }
}

async function collectParts(parser: MailParser, raw: Buffer): Promise<ReadMail> {
  let headers: Headers = new Map();
  let lines: HeaderLines = [];
  const texts: MessageText[] = [];
  const parts: InboundPart[] = [];
  const finished = new Promise<void>((resolve, reject) => {
    parser.on('headers', (read: Headers) => (headers = read));
    parser.on('headerLines', (read: HeaderLines) => (lines = read));
    parser.on('data', (data: AttachmentStream | MessageText) => {
      if (data.type === 'text') texts.push(data);
      else readPart(data).then((part) => parts.push(part), reject);
    });
    parser.on('end', resolve);
    parser.on('error', reject);
    // The parser does not forward the splitter's limit errors, and would wait for the rest of a part forever.
    const splitter: unknown = Reflect.get(parser, 'splitter');
    if (splitter instanceof EventEmitter) splitter.on('error', reject);
  });
  parser.end(raw);
  await finished;
  return toMail(headers, lines, texts.at(-1) ?? null, parts);
}

/** Reads a part and releases it, which lets the parser continue. */
async function readPart(part: AttachmentStream): Promise<InboundPart> {
  const contentType = mediaType(part.contentType);
  const isReportPart = contentType.startsWith('message/') || contentType === 'text/rfc822-headers';
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise((resolve, reject) => {
    part.content.on('data', (chunk: Buffer) => {
      if (isReportPart && size < MAX_PART_SIZE) chunks.push(chunk);
      size += chunk.length;
    });
    part.content.on('end', resolve);
    part.content.on('error', reject);
  });
  part.release();
  return {
    contentType,
    filename: part.filename ?? null,
    size,
    content: Buffer.concat(chunks).subarray(0, MAX_PART_SIZE),
  };
}

function toMail(parsed: Headers, lines: HeaderLines, body: MessageText | null, parts: InboundPart[]): ReadMail {
  const headers = new Map<string, string[]>();
  for (const { key, line } of lines) {
    const value = line
      .slice(line.indexOf(':') + 1)
      .replace(/\r?\n(?=[ \t])/g, '')
      .trim();
    const known = headers.get(key);
    if (known) known.push(value);
    else headers.set(key, [value]);
  }
  const [subject, date] = [parsed.get('subject'), parsed.get('date')];
  return {
    headers,
    contentType: mediaType(headers.get('content-type')?.[0] ?? ''),
    subject: typeof subject === 'string' ? subject : '',
    from: firstAddress(parsed.get('from')),
    date: date instanceof Date ? date : null,
    ...textOf(body?.text ?? '', typeof body?.html === 'string' ? body.html : ''),
    parts,
  };
}

function textOf(text: string, html: string): Pick<ReadMail, 'text' | 'textTruncated'> {
  const plain = /\S/.test(text.slice(0, MAX_HTML_LENGTH)) ? text : fromHtml(html.slice(0, MAX_HTML_LENGTH));
  return {
    text: plain.slice(0, MAX_TEXT_LENGTH),
    textTruncated: plain.length > MAX_TEXT_LENGTH || (plain !== text && html.length > MAX_HTML_LENGTH),
  };
}

function fromHtml(html: string): string {
  try {
    return htmlToTextOnce(html);
  } catch {
    // Keep the mail without its body.
    return '';
  }
}

/** Returns the first address, also of a group. */
function firstAddress(from: ReturnType<Headers['get']>): InboundMail['from'] {
  if (typeof from !== 'object' || !('value' in from) || !Array.isArray(from.value)) return null;
  const [first] = from.value.flatMap((entry) => (typeof entry === 'object' ? (entry.group ?? [entry]) : []));
  return first?.address ? { address: first.address, name: first.name } : null;
}

const mediaType = (value: string): string => (value.split(';', 1)[0] ?? '').trim().toLowerCase();
