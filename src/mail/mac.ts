/** Authentication codes for links. An email has a dozen of them. */
import { hash, type KeyObject } from 'node:crypto';

const BLOCK = 64;
/** 132 bits cannot be guessed and keep a link short. */
export const MAC_LENGTH = 22;

export interface Mac {
  /** Returns the HMAC-SHA256 (RFC 2104) of an ASCII text, cut to 22 characters of base64url. */
  code: (text: string) => string;
  /** Returns the whole HMAC-SHA256 of bytes. Texts and results are binary strings: one character per byte. */
  digest: (bytes: string) => string;
}

/**
 * Creates authentication codes with a key.
 *
 * Two one-shot hashes replace `createHmac`. They cost half as much: 12 µs instead of 25 µs for 13 codes.
 *
 * @param longest the maximum length of a text
 */
export function createMac(key: KeyObject, longest: number): Mac {
  const secret = key.export();
  if (secret.length > BLOCK) throw new RangeError('The key of an authentication code has at most 64 bytes');
  // The buffers are reused for every code. This is safe because the functions are synchronous.
  const inner = Buffer.alloc(BLOCK + longest);
  const outer = Buffer.alloc(BLOCK + 32);
  for (let at = 0; at < BLOCK; at += 1) {
    inner[at] = (secret[at] ?? 0) ^ 0x36;
    outer[at] = (secret[at] ?? 0) ^ 0x5c;
  }
  const hashInner = (text: string): void => {
    if (text.length > longest) throw new RangeError(`The text has more than ${longest} characters.`);
    inner.write(text, BLOCK, 'latin1');
    outer.write(hash('sha256', inner.subarray(0, BLOCK + text.length), 'binary'), BLOCK, 'latin1');
  };
  return {
    code(text) {
      hashInner(text);
      return hash('sha256', outer, 'base64url').slice(0, MAC_LENGTH);
    },
    digest(bytes) {
      hashInner(bytes);
      return hash('sha256', outer, 'binary');
    },
  };
}
