/**
 * Tokens for recipients who are not contacts: an encrypted address, its project, and the email that contained the link.
 *
 * Encrypted, because the paths of links are logged. The code of the plaintext is also the initialization vector (SIV,
 * as in RFC 5297), so that the same email always has the same token.
 */
import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto';
import { MAX_ADDRESS_LENGTH } from '../address.js';
import { deriveKey } from './derived-key.js';
import { createMac } from './mac.js';
import { UUID_BYTES, uuidOf, writeUuid } from './uuid-bytes.js';

const CODE_BYTES = 16;
const CIPHER = 'aes-256-ctr';
const PURPOSE = 'link:unsubscribe-address:v1';

export interface AddressTarget {
  projectId: string;
  /** Normalized. */
  address: string;
  /** The email that contained the link, for its statistics. */
  emailId: string;
}

export interface AddressTokens {
  create: (target: AddressTarget) => string;
  /** Returns null for a token that was not created here. */
  read: (token: string) => AddressTarget | null;
}

export function createAddressTokens(secretKey: string): AddressTokens {
  const key = deriveKey(secretKey, `${PURPOSE}:content`);
  const mac = createMac(deriveKey(secretKey, `${PURPOSE}:code`), 2 * UUID_BYTES + 4 * MAX_ADDRESS_LENGTH);
  const codeOf = (plaintext: Buffer): Buffer =>
    Buffer.from(mac.digest(plaintext.toString('latin1')), 'latin1').subarray(0, CODE_BYTES);
  return {
    create({ projectId, address, emailId }) {
      const ids = Buffer.alloc(2 * UUID_BYTES);
      if (!writeUuid(projectId, ids, 0) || !writeUuid(emailId, ids, UUID_BYTES))
        throw new TypeError('A link needs the UUIDs of a project and of an email.');
      const plaintext = Buffer.concat([ids, Buffer.from(address)]);
      const code = codeOf(plaintext);
      const cipher = createCipheriv(CIPHER, key, code);
      return Buffer.concat([code, cipher.update(plaintext), cipher.final()]).toString('base64url');
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (
        bytes.length <= CODE_BYTES + 2 * UUID_BYTES ||
        bytes.length > CODE_BYTES + 2 * UUID_BYTES + MAX_ADDRESS_LENGTH
      )
        return null;
      // Accept only one spelling of a token: the decoder skips unknown characters.
      if (bytes.toString('base64url') !== token) return null;
      const code = bytes.subarray(0, CODE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, code);
      const plaintext = Buffer.concat([decipher.update(bytes.subarray(CODE_BYTES)), decipher.final()]);
      if (!timingSafeEqual(codeOf(plaintext), code)) return null;
      return {
        projectId: uuidOf(plaintext.subarray(0, UUID_BYTES)),
        emailId: uuidOf(plaintext.subarray(UUID_BYTES, 2 * UUID_BYTES)),
        address: plaintext.toString('utf8', 2 * UUID_BYTES),
      };
    },
  };
}
