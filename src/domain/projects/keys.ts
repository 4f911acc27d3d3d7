/** The two keys of a project (specification, "Authentication"; contract, section 2). */
import { createHash, randomBytes } from 'node:crypto';

/** Both keys in the clear: what creation and rotation show, once. */
export interface ProjectKeys {
  public: string;
  secret: string;
}

const makeKey = (prefix: 'pk' | 'sk'): string => `${prefix}_${randomBytes(32).toString('hex')}`;

export const makeKeys = (): ProjectKeys => ({ public: makeKey('pk'), secret: makeKey('sk') });

/** What is kept of a secret key. A plain hash will do: 256 random bits can't be guessed, however fast the hash is. */
export const hashSecret = (key: string): Buffer<ArrayBuffer> => createHash('sha256').update(key).digest();

/** The columns that a pair of keys fills. */
export const keyColumns = (keys: ProjectKeys) => ({
  publicKey: keys.public,
  secretHash: hashSecret(keys.secret),
  secretLast4: keys.secret.slice(-4),
});
