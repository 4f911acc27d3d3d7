/** What a sender domain may be called (contract, section 8). */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { validationError } from '../../errors.js';

const MAX_LENGTH = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Letters of any script, digits, hyphens and dots. Checked before the conversion to ASCII, which follows the URL rules
 * and would also decode percent signs. U+200C and U+200D join letters in some scripts; the conversion knows where they
 * may stand.
 */
const PLAUSIBLE = /^(?:[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]|\u200c|\u200d)+$/u;

const refuse = (message: string, received: string) =>
  validationError([{ field: 'domain', message, code: 'invalid_string', received: received.slice(0, 100) }]);

/**
 * A domain name in the form in which it is stored: ASCII (RFC 5891 for other scripts), lower case, no final dot.
 *
 * Two labels at least, of letters, digits and inner hyphens, 63 characters each and 253 in all (RFC 1035, 2.3.4). No
 * address, URL, wildcard or IP address.
 *
 * @throws VALIDATION_ERROR (422, field `domain`)
 */
export function parseDomainName(text: string): string {
  const given = text.trim().replace(/\.$/, '');
  // A name that long has no ASCII form within the limit; converting megabytes of it would only cost time.
  if (given.length > 4 * MAX_LENGTH) throw refuse(`must have at most ${MAX_LENGTH} characters`, given);
  if (isIP(given) !== 0) throw refuse('must be a domain name, not an IP address', given);
  if (!PLAUSIBLE.test(given))
    throw refuse('must be a bare domain name such as mail.example.com: no address, URL, port or wildcard', given);
  const name = domainToASCII(given).toLowerCase();
  // The URL rules read `1.2` and `0x7f.1` as IPv4 addresses.
  if (name === '' || isIP(name) !== 0) throw refuse('must be a valid domain name', given);
  if (name.length > MAX_LENGTH) throw refuse(`must have at most ${MAX_LENGTH} characters`, given);
  const labels = name.split('.');
  if (labels.length < 2) throw refuse('must have at least two labels, as in example.com', given);
  if (!labels.every((label) => LABEL.test(label)))
    throw refuse('must have labels of 1 to 63 letters, digits and inner hyphens', given);
  return name;
}
