/** Emailed tokens: 32 random bytes, valid for one hour, single use, stored hashed (contract, section 2). */
import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../../db/pool.js';
import type { Context } from '../../context.js';
import { insertToken, isTokenValid, type TokenPurpose } from './sql/tokens.js';
import { badRequest, type ApiError } from '../../errors.js';

export type { TokenPurpose };

const TOKEN_BYTES = 32;
const LIFETIME_SECONDS = 3600;

/** Returns the stored form of a token. 256 random bits cannot be guessed, so a fast hash is enough. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Creates a token in the caller's transaction. @returns the token in clear text: 64 hex digits */
export async function issueToken(tx: Queryable, userId: string, purpose: TokenPurpose): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  await insertToken(tx, { hash: hashToken(token), userId, purpose, lifetimeSeconds: LIFETIME_SECONDS });
  return token;
}

/** Returns whether a token can be used now. */
export const isTokenUsable = (
  { pool }: Pick<Context, 'pool'>,
  token: string,
  purpose: TokenPurpose,
): Promise<boolean> => isTokenValid(pool, hashToken(token), purpose);

/** Returns the 400 for an unknown, used, or expired token. It does not reveal which of them applies. */
export const invalidToken = (): ApiError =>
  badRequest('This link is invalid: it is unknown, was already used, or is older than one hour. Request a new email.');
