/**
 * A message, compiled once and written for each recipient.
 *
 * If the templates have no other tags than outputs, the message becomes static bytes with places for values: MIME
 * structure, headers, redirects, text alternative, and transfer encoding are done before the first recipient. For the
 * other messages, each email is rendered and composed. `bench/compose.ts` measures both.
 */
import { LRUCache } from 'lru-cache';
import type { MailAddress } from './address.js';
import type { BulkIdentity } from './bulk-identity.js';
import {
  ccLine,
  compose,
  dateLine,
  deriveBoundary,
  listUnsubscribeLines,
  messageIdLine,
  multipartBody,
  otherHeaderLines,
  replyToLine,
  type OutgoingAttachment,
  type OutgoingMessage,
} from './compose.js';
import { collapseBlankLines, compileContent, type CompiledContent, type RenderedContent } from './content.js';
import { compilePart, TOKEN_MARK, type CompiledPart, type PartSegment } from './encoded-part.js';
import { addressLine, headerLine } from './headers.js';
import type { EncodedBody } from './mime-encode.js';
import { printOutput, renderSegments, toSubjectLine, type Segment, type TemplateVariables } from './render.js';
import { trackLink, trackSegments, type TrackedSegment } from './track-html.js';
import type { EmailTracking, TrackingLinks } from './tracking-links.js';

/** What the emails of a message have in common. */
export interface MessageSource {
  /** The part of Message-IDs after the `@`, in ASCII. */
  messageIdDomain: string;
  from: MailAddress;
  cc?: MailAddress[];
  replyTo?: string;
  /** A template. */
  subject: string;
  /** A template, including the footer. */
  html: string;
  /** A template of the text alternative; derived from the HTML if it is absent. */
  text?: string;
  /** Custom headers. Reserved ones are ignored. */
  headers: Record<string, string>;
  attachments: OutgoingAttachment[];
  bulk: boolean;
  /** The same for all emails of a campaign, workflow, or template, so that they share the compiled message. */
  identity?: BulkIdentity;
}

/** What differs between the emails of a message. */
export interface EmailValues {
  /** The UUID of the email. */
  id: string;
  date: Date;
  to: MailAddress;
  variables: TemplateVariables;
  tracked: boolean;
  /** RFC 8058. */
  listUnsubscribe?: OutgoingMessage['listUnsubscribe'];
  /** Before the rendered subject. */
  subjectPrefix?: string;
}

export interface CompiledMessage {
  /**
   * Writes one email: CRLF line ends, all bytes ASCII except for a non-ASCII local part. The same values give the same
   * bytes.
   *
   * @throws TemplateError of kind `render`, ComposeError
   */
  write: (email: EmailValues) => Buffer;
  /**
   * Renders the content of one email, without tracking.
   *
   * @throws TemplateError of kind `render`
   */
  render: (email: EmailValues) => RenderedContent;
  /**
   * Whether emails are copied from static bytes. Then the lines of their bodies have at most 76 characters, no line
   * begins with a dot, and DKIM's relaxed form of a body without attachments is the body itself.
   */
  isStatic: (options: { tracked: boolean }) => boolean;
}

const cache = new LRUCache<string, CompiledMessage>({
  max: 500,
  maxSize: 16_000_000,
  sizeCalculation: (_, key) => key.length,
});

/**
 * Compiles a message. Results are cached by source, except for messages with attachments.
 *
 * @throws TemplateError of kind `parse`
 */
export function compileMessage(source: MessageSource, tracking: TrackingLinks): CompiledMessage {
  if (source.attachments.length > 0) return compileUncached(source, tracking);
  const key = JSON.stringify(source);
  let compiled = cache.get(key);
  if (!compiled) {
    compiled = compileUncached(source, tracking);
    cache.set(key, compiled);
  }
  return compiled;
}

type WriteEmail = (email: EmailValues) => Buffer;

function compileUncached(source: MessageSource, tracking: TrackingLinks): CompiledMessage {
  const content = compileContent(source);
  const otherHeaders = otherHeaderLines(source.headers, source);
  const writers = new Map<boolean, WriteEmail | null>();
  const staticWriter = (tracked: boolean): WriteEmail | null => {
    let writer = writers.get(tracked);
    if (writer === undefined)
      writers.set(
        tracked,
        (writer = compileStatic(source, { content, otherHeaders, tracking: tracked ? tracking : null })),
      );
    return writer;
  };
  return {
    write(email) {
      const write = staticWriter(email.tracked);
      return write ? write(email) : composeEmail(source, { content, otherHeaders, tracking }, email);
    },
    render({ variables, subjectPrefix = '' }) {
      const { subject, ...parts } = content.render(variables);
      return { subject: subjectPrefix + subject, ...parts };
    },
    isStatic: ({ tracked }) => staticWriter(tracked) !== null,
  };
}

/** What the emails of a message share, apart from its source. */
interface SharedParts<Tracking extends TrackingLinks | null> {
  content: CompiledContent;
  /** The result of `otherHeaderLines`. */
  otherHeaders: string;
  tracking: Tracking;
}

function composeEmail(
  { messageIdDomain, from, cc, replyTo, headers, attachments, bulk, identity }: MessageSource,
  { content, otherHeaders, tracking }: SharedParts<TrackingLinks>,
  { id, date, to, variables, tracked, listUnsubscribe, subjectPrefix = '' }: EmailValues,
): Buffer {
  const { subject, html, text } = content.render(variables, tracked ? tracking.of(id) : undefined);
  return compose(
    {
      messageId: `${id}@${messageIdDomain}`,
      date,
      from,
      to,
      cc,
      replyTo,
      subject: subjectPrefix + subject,
      html,
      text,
      headers,
      attachments,
      listUnsubscribe,
      bulk,
      identity,
    },
    otherHeaders,
  );
}

/** The values of one email that its parts print. */
interface PrintedEmail {
  variables: TemplateVariables;
  tracking: EmailTracking | null;
  token: string;
}

/** Returns null if the templates need the engine. */
function compileStatic(
  source: MessageSource,
  { content: { templates }, otherHeaders, tracking }: SharedParts<TrackingLinks | null>,
): WriteEmail | null {
  const subject = templates.subject.segments;
  const textSegments = templates.text?.segments;
  const htmlSegments = (tracking ? templates.marked() : templates.html)?.segments;
  if (!subject || !textSegments || !htmlSegments) return null;
  // The name of a custom header may begin with a dot.
  if (/^\./m.test(otherHeaders)) return null;

  const writeHead = compileHead(source, subject);
  const text = compileText(textSegments);
  const html = compileHtml(tracking ? trackSegments(htmlSegments, tracking.withToken(TOKEN_MARK)) : htmlSegments);
  const [begin, middle, end] = splitFixedBytes(source, otherHeaders, { text: text.encoding, html: html.encoding });
  const fixedLength = begin.length + middle.length + end.length;

  return (email) => {
    const emailTracking = tracking && tracking.of(email.id);
    const printed = { variables: email.variables, tracking: emailTracking, token: emailTracking?.token ?? '' };
    const head = writeHead(email);
    const [textPart, htmlPart] = [text.encode(printed), html.encode(printed)];
    const headLength = Buffer.byteLength(head);
    const raw = allocate(headLength + fixedLength + textPart.byteLength + htmlPart.byteLength);
    raw.write(head);
    raw.set(begin, headLength);
    const textEnd = textPart.write(raw, headLength + begin.length);
    raw.set(middle, textEnd);
    const htmlEnd = htmlPart.write(raw, textEnd + middle.length);
    raw.set(end, htmlEnd);
    return raw;
  };
}

/** Returns a function that writes the headers that differ between emails, and those before them. */
function compileHead(
  { from, cc, replyTo, messageIdDomain }: MessageSource,
  subject: readonly Segment[],
): (email: EmailValues) => string {
  const fromLine = addressLine('From', from);
  const sharedLines = ccLine(cc) + replyToLine(replyTo);
  const fixedSubject = subject.every((segment) => typeof segment === 'string')
    ? headerLine('Subject', toSubjectLine(subject.join('')))
    : null;
  const subjectLine = ({ variables, subjectPrefix = '' }: EmailValues): string =>
    fixedSubject !== null && subjectPrefix === ''
      ? fixedSubject
      : headerLine('Subject', subjectPrefix + toSubjectLine(renderSegments(subject, variables, 'none')));
  // The emails of a campaign are created in pages, which share their date.
  let [lastDate, lastDateLine] = [Number.NaN, ''];
  const memoizedDateLine = (date: Date): string => {
    if (date.getTime() !== lastDate) [lastDate, lastDateLine] = [date.getTime(), dateLine(date)];
    return lastDateLine;
  };
  return (email) =>
    fromLine +
    addressLine('To', email.to) +
    sharedLines +
    subjectLine(email) +
    messageIdLine(`${email.id}@${messageIdDomain}`) +
    memoizedDateLine(email.date) +
    listUnsubscribeLines(email.listUnsubscribe);
}

/** Returns the static bytes before the encoded text, between text and HTML, and after the HTML. */
function splitFixedBytes(
  { attachments, subject, html, from }: MessageSource,
  otherHeaders: string,
  encodings: Record<'text' | 'html', EncodedBody['encoding']>,
): [Uint8Array, Uint8Array, Uint8Array] {
  const [textMark, htmlMark] = ['\u0000text\u0000', '\u0000html\u0000'];
  const body = multipartBody({
    boundary: deriveBoundary(JSON.stringify([subject, html, from])),
    text: { encoding: encodings.text, content: textMark },
    html: { encoding: encodings.html, content: htmlMark },
    attachments,
  });
  const [textAt, htmlAt] = [body.indexOf(textMark), body.indexOf(htmlMark)];
  return [
    Buffer.from(otherHeaders + body.slice(0, textAt), 'latin1'),
    Buffer.from(body.slice(textAt + textMark.length, htmlAt), 'latin1'),
    Buffer.from(body.slice(htmlAt + htmlMark.length), 'latin1'),
  ];
}

function compileHtml(segments: readonly TrackedSegment[]): CompiledPart<PrintedEmail> {
  const parts = segments.map((segment): PartSegment<PrintedEmail> => {
    if (typeof segment === 'string') return segment;
    if (!('link' in segment)) return ({ variables }) => printOutput(segment, variables, 'html');
    return ({ variables, tracking }) => {
      const url = renderSegments(segment.link, variables, 'html');
      return tracking ? trackLink(url, tracking) : url;
    };
  });
  return compilePart(parts, { needsFinish: () => false, finish: (html) => html });
}

/** Compiles the text alternative. Blank lines around empty values are collapsed when the values are known. */
function compileText(template: readonly Segment[]): CompiledPart<PrintedEmail> {
  const segments = template
    .filter((segment) => segment !== '')
    .map((segment) => (typeof segment === 'string' ? collapseBlankLines(segment) : segment));
  const isAlone = segments.flatMap((segment, index) =>
    typeof segment === 'string' ? [] : [endsLine(segments[index - 1]) && beginsLine(segments[index + 1])],
  );
  const parts = segments.map((segment): PartSegment<PrintedEmail> =>
    typeof segment === 'string' ? segment : ({ variables }) => printOutput(segment, variables, 'text'),
  );
  return compilePart(parts, {
    needsFinish: (values) => values.some((value, index) => (value === '' ? isAlone[index] : value.includes('\n'))),
    finish: collapseBlankLines,
  });
}

const endsLine = (segment: Segment | undefined): boolean => typeof segment !== 'string' || segment.endsWith('\n');
const beginsLine = (segment: Segment | undefined): boolean => typeof segment !== 'string' || segment.startsWith('\n');

const SLAB_BYTES = 256 * 1024;
let slab = Buffer.alloc(0);
let used = 0;

/**
 * Returns a buffer of uninitialized bytes, usually a part of a larger one: `Buffer.allocUnsafe` takes 1.5 µs for more
 * than 4 KB, this 0.1 µs. The larger one is freed with the last of its emails.
 */
function allocate(size: number): Buffer {
  if (size > SLAB_BYTES / 8) return Buffer.allocUnsafeSlow(size);
  if (used + size > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  used += size;
  return slab.subarray(used - size, used);
}
