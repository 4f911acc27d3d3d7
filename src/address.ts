/**
 * Email addresses and the host name of this installation. Pure: the configuration and the domain use the same rules.
 */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** RFC 5321 */
export const MAX_ADDRESS_LENGTH = 254;

/** The host name of an API without a public name; `.test` is reserved (RFC 6761). */
export const LOCAL_HOST = 'mail.sendloom.test';

/**
 * An unquoted local part by RFC 5321, and a domain as `POST /domains` accepts it. zod's own pattern rejects `%`, `=`,
 * `&`, and internationalized top-level domains such as `xn--p1ai`: then a domain could be verified but not used as a
 * sender.
 */
export const ADDRESS_PATTERN =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns an address as it is stored and compared (contract, section 3): trimmed, in lower case, with the domain in
 * ASCII (RFC 5891) if it has an ASCII form.
 */
export function normalizeAddress(text: string): string {
  const address = text.trim().toLowerCase();
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  // Longer text is not an address, and the time of the conversion grows with the square of the length.
  if (at === 0 || address.length > MAX_ADDRESS_LENGTH || /^[!-~]*$/.test(domain)) return address;
  const ascii = domainToASCII(domain);
  return ascii === '' ? address : address.slice(0, at) + ascii;
}

/** Whether a normalized address is valid for a contact. */
export const isAddress = (address: string): boolean =>
  address.length <= MAX_ADDRESS_LENGTH && ADDRESS_PATTERN.test(address);

/** Returns a host name as it is compared: trimmed, in lower case, without a final dot. */
export const normalizeHost = (text: string): string => text.trim().toLowerCase().replace(/\.$/, '');

/** Returns the host name for SPF and return paths: the host of `PUBLIC_URL` if it is a DNS name. */
export function sendingHost(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.toLowerCase();
  return isIP(host) !== 0 || host.startsWith('[') || !host.includes('.') ? LOCAL_HOST : host;
}
