/** Validates the name of a sender domain (contract, section 8). */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { validationError } from '../../errors.js';

const MAX_LENGTH = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Letters of any script, digits, hyphens, and dots. Checked before the conversion to ASCII, which follows the URL rules
 * and would also decode percent signs. U+200C and U+200D join letters in some scripts; the conversion checks their
 * position.
 */
const ALLOWED_CHARACTERS = /^(?:[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]|\u200c|\u200d)+$/u;

const invalidDomain = (message: string, received: string) =>
  validationError([{ field: 'domain', message, code: 'invalid_string', received: received.slice(0, 100) }]);

/**
 * Normalizes a domain name: ASCII (RFC 5891), lower case, no final dot.
 *
 * It must have at least two labels of letters, digits, and inner hyphens, with at most 63 characters each and 253 in
 * total (RFC 1035, section 2.3.4). Addresses, URLs, wildcards, and IP addresses are invalid.
 *
 * @throws VALIDATION_ERROR (422, field `domain`)
 */
export function parseDomainName(text: string): string {
  const given = text.trim().replace(/\.$/, '');
  // The ASCII form of a longer name exceeds the limit. Do not convert megabytes.
  if (given.length > 4 * MAX_LENGTH) throw invalidDomain(`must have at most ${MAX_LENGTH} characters`, given);
  if (isIP(given) !== 0) throw invalidDomain('must be a domain name, not an IP address', given);
  if (!ALLOWED_CHARACTERS.test(given))
    throw invalidDomain(
      'must be a domain name such as mail.example.com, without an address, URL, port, or wildcard',
      given,
    );
  const name = domainToASCII(given).toLowerCase();
  // The URL rules parse `1.2` and `0x7f.1` as IPv4 addresses.
  if (name === '' || isIP(name) !== 0) throw invalidDomain('must be a valid domain name', given);
  if (name.length > MAX_LENGTH) throw invalidDomain(`must have at most ${MAX_LENGTH} characters`, given);
  const labels = name.split('.');
  if (labels.length < 2) throw invalidDomain('must have at least two labels, as in example.com', given);
  if (!labels.every((label) => LABEL.test(label)))
    throw invalidDomain('must have labels of 1 to 63 letters, digits, and inner hyphens', given);
  return name;
}
