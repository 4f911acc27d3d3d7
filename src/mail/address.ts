/** Email addresses for headers and envelopes. */
import { domainToASCII } from 'node:url';
import { LRUCache } from 'lru-cache';

export interface MailAddress {
  name?: string;
  address: string;
}

/** A message that cannot be written as an email, for example an address with a line break. Validation prevents it. */
export class ComposeError extends Error {}

// oxlint-disable-next-line no-control-regex -- anything that could end a header line or an envelope command
const UNUSABLE = /[\u0000-\u0020\u007f<>]/;
// oxlint-disable-next-line no-control-regex -- the complement of ASCII
const NON_ASCII = /[^\u0000-\u007f]/;

const asciiDomains = new LRUCache<string, string>({ max: 1000, memoMethod: (domain) => domainToASCII(domain) });

/**
 * Converts the domain of an address to ASCII (`post@straße.example` → `post@xn--strae-oqa.example`). A non-ASCII local
 * part stays as it is and needs a server with SMTPUTF8.
 *
 * @throws ComposeError for an address that could end its header line or envelope command
 */
export function toAsciiAddress(address: string): string {
  const at = address.lastIndexOf('@');
  if (at < 1 || at === address.length - 1 || UNUSABLE.test(address))
    throw new ComposeError('The email address is malformed.');
  if (!NON_ASCII.test(address)) return address;
  const domain = asciiDomains.memo(address.slice(at + 1));
  if (domain === '') throw new ComposeError('The domain of the email address is malformed.');
  return `${address.slice(0, at)}@${domain}`;
}
