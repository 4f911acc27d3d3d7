/** Encryption of stored secrets, such as DKIM private keys, with a key derived from `SECRET_KEY`. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './derived-key.js';
import { LRUCache } from 'lru-cache';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

const keys = new LRUCache<string, ReturnType<typeof deriveKey>>({
  max: 4,
  memoMethod: (secretKey) => deriveKey(secretKey, 'secret:v1'),
});

/**
 * Encrypts a text with AES-256-GCM: `v1.` and base64url of IV, tag, and ciphertext. Each call gives another result.
 */
export function encryptSecret(secretKey: string, plaintext: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keys.memo(secretKey), iv);
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
}

/**
 * Decrypts the result of `encryptSecret`.
 *
 * @throws Error if it was encrypted with another key or was changed
 */
export function decryptSecret(secretKey: string, encrypted: string): string {
  const [version, encoded = ''] = encrypted.split('.');
  const bytes = Buffer.from(encoded, 'base64url');
  if (version !== VERSION || bytes.length < IV_BYTES + TAG_BYTES)
    throw new Error('A stored secret has an unknown format.');
  const decipher = createDecipheriv('aes-256-gcm', keys.memo(secretKey), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Error('A stored secret cannot be decrypted. Check that SECRET_KEY has not changed.', { cause });
  }
}
