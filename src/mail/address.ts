/**
 * Mail addresses on their way into a header or an envelope.
 */
import { domainToASCII } from 'node:url';
import { Lru } from './lru.js';

export interface MailAddress {
  name?: string;
  address: string;
}

/**
 * A message that can't be written as mail: an address with a line break, and the like. Validated input never gets here.
 */
export class ComposeError extends Error {}

// oxlint-disable-next-line no-control-regex -- anything that could end a header line or an envelope command
const UNUSABLE = /[\u0000-\u0020\u007f<>]/;
// oxlint-disable-next-line no-control-regex -- the complement of ASCII
const NON_ASCII = /[^\u0000-\u007f]/;

const asciiDomains = new Lru<string, string>({ maxEntries: 1000 });

/**
 * The address with its domain in ASCII (`post@straße.example` → `post@xn--strae-oqa.example`). A local part that isn't
 * ASCII stays, and needs a server with SMTPUTF8.
 *
 * @throws ComposeError for an address that could break out of its place
 */
export function toAsciiAddress(address: string): string {
  const at = address.lastIndexOf('@');
  if (at < 1 || at === address.length - 1 || UNUSABLE.test(address))
    throw new ComposeError('A mail address is not usable');
  if (!NON_ASCII.test(address)) return address;
  const domain = asciiDomains.getOrMake(address.slice(at + 1), domainToASCII);
  if (domain === '') throw new ComposeError('The domain of a mail address is not usable');
  return `${address.slice(0, at)}@${domain}`;
}
