/** Keys for single purposes, derived from the installation's `SECRET_KEY`. */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * Derives a 256-bit key for one purpose (HKDF-SHA256, RFC 5869). A signature for one purpose is invalid for any other.
 *
 * @param purpose the use and its version
 */
export function deriveKey(secretKey: string, purpose: string): KeyObject {
  if (secretKey.length < 32) throw new RangeError('The secret key must have at least 32 characters');
  return createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', `sendloom:${purpose}`, 32)));
}
