/**
 * A return path per email (VERP): the address that receives an email's bounces identifies the email.
 *
 * `b+<token>@<host>`: the token is the email's id and an authentication code, in base32, because mail servers may change
 * the case of an address. Only a system that has seen the email can know the address, so a message to it is about that
 * email. The local part has 47 of at most 64 characters (RFC 5321, 4.5.3.1.1).
 */
import { timingSafeEqual } from 'node:crypto';
import { decodeBase32, encodeBase32 } from './base32.js';
import { deriveKey } from './derived-key.js';
import { createMac } from './mac.js';

const ID_BYTES = 16;
/** 96 bits are enough, because each guess costs an SMTP conversation with the listener. */
const MAC_BYTES = 12;
const PREFIX = 'b+';
const TOKEN_LENGTH = Math.ceil(((ID_BYTES + MAC_BYTES) * 8) / 5);
const LOCAL_PART = new RegExp(`^b\\+([a-z2-7]{${TOKEN_LENGTH}})$`);

export interface ReturnPaths {
  /** Returns the return path of an email. `host`: a name whose MX is the listener. */
  of: (emailId: string, host: string) => string;
  /** Reads a return path in any letter case. Returns null for every other address. */
  read: (address: string) => { emailId: string; host: string } | null;
}

/** @param secretKey the installation's `SECRET_KEY` */
export function createReturnPaths(secretKey: string): ReturnPaths {
  const mac = createMac(deriveKey(secretKey, 'return-path:v1'), 2 * ID_BYTES);
  const codeOf = (id: Buffer): Buffer => Buffer.from(mac.code(id.toString('hex')), 'base64url').subarray(0, MAC_BYTES);
  return {
    of(emailId, host) {
      const id = Buffer.from(emailId.replaceAll('-', ''), 'hex');
      if (id.length !== ID_BYTES) throw new TypeError('A return path needs the UUID of an email.');
      return `${PREFIX}${encodeBase32(Buffer.concat([id, codeOf(id)]))}@${host}`;
    },
    read(address) {
      const at = address.lastIndexOf('@');
      const [, token] = LOCAL_PART.exec(address.slice(0, at).toLowerCase()) ?? [];
      if (at === -1 || token === undefined) return null;
      const bytes = decodeBase32(token);
      const id = bytes.subarray(0, ID_BYTES);
      // Accept only one spelling of a token: the last character has an unused bit.
      if (!timingSafeEqual(codeOf(id), bytes.subarray(ID_BYTES)) || encodeBase32(bytes) !== token) return null;
      return {
        emailId: id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
        host: address
          .slice(at + 1)
          .toLowerCase()
          .replace(/\.$/, ''),
      };
    },
  };
}
