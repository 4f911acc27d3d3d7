/**
 * Secrets at rest: DKIM private keys and the like are stored encrypted with a key derived from `SECRET_KEY`.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './derived-key.js';
import { Lru } from './lru.js';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

const keys = new Lru<string, ReturnType<typeof deriveKey>>({ maxEntries: 4 });
const keyFor = (secretKey: string) => keys.getOrMake(secretKey, () => deriveKey(secretKey, 'secret:v1'));

/**
 * Encrypts a text with AES-256-GCM: `v1.` and base64url of IV, tag and ciphertext. The same text gives another result
 * each time.
 */
export function encryptSecret(secretKey: string, plaintext: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyFor(secretKey), iv);
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
}

/**
 * Decrypts what `encryptSecret` made.
 *
 * @throws Error when it was made with another key or was changed; the message says to check `SECRET_KEY`
 */
export function decryptSecret(secretKey: string, encrypted: string): string {
  const [version, encoded = ''] = encrypted.split('.');
  const bytes = Buffer.from(encoded, 'base64url');
  if (version !== VERSION || bytes.length < IV_BYTES + TAG_BYTES)
    throw new Error('A stored secret has an unknown format');
  const decipher = createDecipheriv('aes-256-gcm', keyFor(secretKey), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Error('A stored secret can not be decrypted: SECRET_KEY is not the one that it was stored with', {
      cause,
    });
  }
}
