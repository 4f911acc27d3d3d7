/** The headers of an email, and which of them only the service sets. */
import { toAsciiAddress, type MailAddress } from './address.js';
import { encodeName, encodeUnstructured } from './mime-words.js';

/**
 * Header names (lower case) that a caller cannot set: they define the message's structure, identity, or route, or the
 * request has a field for them.
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
/** The service sets these in bulk email (contract, section 4). In transactional email the caller may set them. */
const RESERVED_BULK_HEADERS: ReadonlySet<string> = new Set(['list-unsubscribe', 'list-unsubscribe-post']);
const RESERVED_PREFIXES = ['content-', 'resent-', 'arc-'];

// RFC 5322, 3.6.8: printable ASCII except the colon.
const FIELD_NAME = /^[!-9;-~]{1,76}$/;

/** Whether `compose` ignores a custom header because its name is reserved or invalid. */
export function isReservedHeader(name: string, { bulk }: { bulk: boolean }): boolean {
  const lower = name.toLowerCase();
  return (
    RESERVED_HEADERS.has(lower) ||
    (bulk && RESERVED_BULK_HEADERS.has(lower)) ||
    RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix)) ||
    !FIELD_NAME.test(name)
  );
}

/** Returns the names of headers in lower case. */
export const namesOf = (headers: Record<string, string>): Set<string> =>
  new Set(Object.keys(headers).map((name) => name.toLowerCase()));

/** Returns a header line with an unstructured value, including its CRLF. */
export function headerLine(name: string, value: string): string {
  return `${name}: ${encodeUnstructured(value, name.length + 2)}\r\n`;
}

/** Returns a header line with one address, including its CRLF. */
export function addressLine(name: string, { name: display, address }: MailAddress): string {
  const ascii = toAsciiAddress(address);
  if (display === undefined || display.trim() === '') return `${name}: ${ascii}\r\n`;
  const encoded = encodeName(display, name.length + 2);
  const lastLine = encoded.length - (encoded.lastIndexOf('\n') + 1) + (encoded.includes('\n') ? 0 : name.length + 2);
  return `${name}: ${encoded}${lastLine + ascii.length + 3 > 76 ? '\r\n ' : ' '}<${ascii}>\r\n`;
}

/** Returns a header with addresses, one per line, including its CRLFs. */
export const addressesLine = (name: string, addresses: readonly MailAddress[]): string =>
  `${name}: ${addresses.map((address) => addressLine(name, address).slice(name.length + 2, -2)).join(',\r\n ')}\r\n`;

/** Returns the lines of the allowed custom headers. Only the first header of each name counts. */
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
