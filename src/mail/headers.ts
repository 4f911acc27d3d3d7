/**
 * The headers of a mail, and which of them belong to us alone.
 */
import { toAsciiAddress, type MailAddress } from './address.js';
import { encodeName, encodeUnstructured } from './mime-words.js';

/**
 * Header names (lower case) that a caller can't set: they make up the message's structure, identity or route, or have a
 * field of their own.
 */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'bcc',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'return-path',
  'received',
  'delivered-to',
  'dkim-signature',
  'domainkey-signature',
  'authentication-results',
]);
/** In bulk mail they are ours (contract, section 4); a transactional mail has no list but its author's. */
const OF_BULK_MAIL: ReadonlySet<string> = new Set(['list-unsubscribe', 'list-unsubscribe-post']);
const RESERVED_PREFIXES = ['content-', 'resent-', 'arc-'];

// RFC 5322, 3.6.8: printable ASCII but the colon.
const FIELD_NAME = /^[!-9;-~]{1,76}$/;

/** Whether `compose` leaves out a custom header of this name: a reserved one, or a name that is none. */
export function isReservedHeader(name: string, { bulk }: { bulk: boolean }): boolean {
  const lower = name.toLowerCase();
  return (
    RESERVED_HEADERS.has(lower) ||
    (bulk && OF_BULK_MAIL.has(lower)) ||
    RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix)) ||
    !FIELD_NAME.test(name)
  );
}

/** A header line of an unstructured value, with its CRLF. */
export function headerLine(name: string, value: string): string {
  return `${name}: ${encodeUnstructured(value, name.length + 2)}\r\n`;
}

/** A header line of one address, with its CRLF. */
export function addressLine(name: string, { name: display, address }: MailAddress): string {
  const ascii = toAsciiAddress(address);
  if (display === undefined || display.trim() === '') return `${name}: ${ascii}\r\n`;
  const encoded = encodeName(display, name.length + 2);
  const lastLine = encoded.length - (encoded.lastIndexOf('\n') + 1) + (encoded.includes('\n') ? 0 : name.length + 2);
  return `${name}: ${encoded}${lastLine + ascii.length + 3 > 76 ? '\r\n ' : ' '}<${ascii}>\r\n`;
}

/** The custom headers that may stand, each name once. */
export function customHeaderLines(
  headers: Record<string, string>,
  { present, bulk }: { present: readonly string[]; bulk: boolean },
): string {
  let lines = '';
  const seen = new Set(present);
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (seen.has(lower) || isReservedHeader(name, { bulk })) continue;
    seen.add(lower);
    lines += headerLine(name, value.trim());
  }
  return lines;
}
