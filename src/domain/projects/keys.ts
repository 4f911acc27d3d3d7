/** The two keys of a project (specification, "Authentication"; contract, section 2). */
import { createHash, randomBytes } from 'node:crypto';

/** Both keys in clear text. */
export interface ProjectKeys {
  public: string;
  secret: string;
}

const generateKey = (prefix: 'pk' | 'sk'): string => `${prefix}_${randomBytes(32).toString('hex')}`;

export const generateKeys = (): ProjectKeys => ({ public: generateKey('pk'), secret: generateKey('sk') });

/** Returns the stored form of a secret key. 256 random bits cannot be guessed, so a fast hash is enough. */
export const hashSecret = (key: string): Buffer<ArrayBuffer> => createHash('sha256').update(key).digest();

/** Returns the columns of a project that store its keys. */
export const keyColumns = (keys: ProjectKeys) => ({
  publicKey: keys.public,
  secretHash: hashSecret(keys.secret),
  secretLast4: keys.secret.slice(-4),
});
