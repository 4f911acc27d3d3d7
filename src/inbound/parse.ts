/** A mail's bytes, read within bounds. */
import { EventEmitter } from 'node:events';
import { MailParser, type AttachmentStream, type HeaderLines, type Headers, type MessageText } from 'mailparser';
import { htmlToTextOnce } from '../mail/html-text.js';
import { SmtpReply } from './reply.js';

export interface InboundPart {
  /** In lower case, without parameters. */
  contentType: string;
  filename: string | null;
  /** In bytes, decoded. */
  size: number;
  /** Of the parts of reports the first 64 KB; of others nothing. */
  content: Uint8Array;
}

/** What is read of a mail: plain data, so that it can come from another thread. */
export interface ReadMail {
  /** All values of each header, unfolded, not decoded. */
  headers: Map<string, string[]>;
  /** Of the whole mail, in lower case, without parameters. */
  contentType: string;
  subject: string;
  /** The first address of From; null where there is none. */
  from: { address: string; name: string } | null;
  date: Date | null;
  /** The text part, else the HTML part as text: the first 20,000 characters. */
  text: string;
  textTruncated: boolean;
  /** Everything that is no text of the mail: attachments, and the machine-readable parts of reports. */
  parts: InboundPart[];
}

export interface InboundMail extends ReadMail {
  raw: Buffer;
  header: (name: string) => string[];
}

/** More than any mail needs: the time for the rest would be a gift to whoever wants us busy. */
const LIMITS = { maxHeadSize: 256 * 1024, maxChildNodes: 500 };
/** Characters that are kept: a workflow's context carries them along. */
const LONGEST_TEXT = 20_000;
const LONGEST_HTML = 200_000;
/** Of a part of a report. */
const LONGEST_PART = 64 * 1024;

const OPTIONS = {
  ...LIMITS,
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  // Reports: their parts are wanted as they are, not woven into the text.
  keepDeliveryStatus: true,
  ignoreEmbedded: true,
};

export const unreadable = (): SmtpReply => new SmtpReply(554, '5.6.0 This mail can not be read');

/** A mail with what was read of it. */
export const toInboundMail = (raw: Buffer, read: ReadMail): InboundMail => ({
  ...read,
  raw,
  header: (name) => read.headers.get(name) ?? [],
});

/**
 * Reads a mail in this thread. One that is made for it takes minutes of it: see parser.ts.
 *
 * @throws what the parser throws on a mail that can't be read, or is made of too much
 */
export async function readMail(raw: Buffer): Promise<ReadMail> {
  const parser = new MailParser(OPTIONS);
  try {
    return await collect(parser, raw);
  } finally {
    parser.destroy();
  }
}

async function collect(parser: MailParser, raw: Buffer): Promise<ReadMail> {
  let headers: Headers = new Map();
  let lines: HeaderLines = [];
  const texts: MessageText[] = [];
  const parts: InboundPart[] = [];
  const wholly = new Promise<void>((resolve, reject) => {
    parser.on('headers', (read: Headers) => (headers = read));
    parser.on('headerLines', (read: HeaderLines) => (lines = read));
    parser.on('data', (data: AttachmentStream | MessageText) => {
      if (data.type === 'text') texts.push(data);
      else readPart(data).then((part) => parts.push(part), reject);
    });
    parser.on('end', resolve);
    parser.on('error', reject);
    // The parser keeps the splitter's limits for itself: it would wait for the rest of a part for ever, or leave it
    // out.
    const splitter: unknown = Reflect.get(parser, 'splitter');
    if (splitter instanceof EventEmitter) splitter.on('error', reject);
  });
  parser.end(raw);
  await wholly;
  return toMail(headers, lines, texts.at(-1) ?? null, parts);
}

/** The parser goes on when a part is released. */
async function readPart(part: AttachmentStream): Promise<InboundPart> {
  const contentType = mediaType(part.contentType);
  const isOfReport = contentType.startsWith('message/') || contentType === 'text/rfc822-headers';
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise((resolve, reject) => {
    part.content.on('data', (chunk: Buffer) => {
      if (isOfReport && size < LONGEST_PART) chunks.push(chunk);
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
    content: Buffer.concat(chunks).subarray(0, LONGEST_PART),
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
    from: senderOf(parsed.get('from')),
    date: date instanceof Date ? date : null,
    ...textOf(body?.text ?? '', typeof body?.html === 'string' ? body.html : ''),
    parts,
  };
}

function textOf(text: string, html: string): Pick<ReadMail, 'text' | 'textTruncated'> {
  const plain = /\S/.test(text.slice(0, LONGEST_HTML)) ? text : fromHtml(html.slice(0, LONGEST_HTML));
  return {
    text: plain.slice(0, LONGEST_TEXT),
    textTruncated: plain.length > LONGEST_TEXT || (plain !== text && html.length > LONGEST_HTML),
  };
}

function fromHtml(html: string): string {
  try {
    return htmlToTextOnce(html);
  } catch {
    // Made to break a parser: the mail counts, its body doesn't.
    return '';
  }
}

/** Of several the first, also where they are a group. */
function senderOf(from: ReturnType<Headers['get']>): InboundMail['from'] {
  if (typeof from !== 'object' || !('value' in from) || !Array.isArray(from.value)) return null;
  const [first] = from.value.flatMap((entry) => (typeof entry === 'object' ? (entry.group ?? [entry]) : []));
  return first?.address ? { address: first.address, name: first.name } : null;
}

const mediaType = (value: string): string => (value.split(';', 1)[0] ?? '').trim().toLowerCase();
