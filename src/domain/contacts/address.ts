/** The rule of addresses: of a request's `email`, of an import's rows, of a look-up. */
import { domainToASCII } from 'node:url';

/** RFC 5321 */
export const MAX_ADDRESS = 254;

/**
 * A local part of RFC 5321 without quotes, and a domain such as `POST /domains` takes: zod's own pattern refuses `%`,
 * `=`, `&` and the like, and every top-level domain of another script (`xn--p1ai`), so that a domain could be verified
 * from which nothing can be sent.
 */
export const ADDRESS =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * As addresses are kept and compared (contract, section 3): trimmed, in lower case, the domain in ASCII (RFC 5891)
 * where it has that form.
 */
export function normalizeAddress(text: string): string {
  const address = text.trim().toLowerCase();
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  // What is too long is no address, and the conversion takes time that grows with the square of a length.
  if (at === 0 || address.length > MAX_ADDRESS || /^[!-~]*$/.test(domain)) return address;
  const ascii = domainToASCII(domain);
  return ascii === '' ? address : address.slice(0, at) + ascii;
}

/** Whether a normalised address can be a contact's. */
export const isAddress = (address: string): boolean => address.length <= MAX_ADDRESS && ADDRESS.test(address);
