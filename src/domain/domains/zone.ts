/** The records of a domain as a BIND zone file (RFC 1035, section 5). Pure. */
import type { DomainRecord } from './records.js';

const TTL_SECONDS = 300;
/** A character string of a TXT record has at most 255 bytes (RFC 1035, section 3.3). */
const MAX_STRING_BYTES = 255;

/** Returns the lines of a zone file, which an administrator can import. */
export const toZone = (domain: string, records: readonly DomainRecord[]): string =>
  [`; DNS records of ${domain} for Sendloom`, ...records.map(toLine), ''].join('\n');

const toLine = ({ name, type, value }: DomainRecord): string =>
  `${name}.\t${TTL_SECONDS}\tIN\t${type}\t${type === 'TXT' ? quotedStrings(value) : `${value}.`}`;

/** The values of our records are ASCII, so characters are bytes. */
const quotedStrings = (value: string): string =>
  (value.match(new RegExp(`.{1,${MAX_STRING_BYTES}}`, 'g')) ?? [''])
    .map((part) => `"${part.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
    .join(' ');
