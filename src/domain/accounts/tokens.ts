/** Tokens that come by mail: 32 random bytes, an hour, single use, stored hashed (contract, section 2). */
import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../../db/pool.js';
import type { Context } from '../../context.js';
import { insertToken, isTokenValid, type TokenPurpose } from './sql/auth-tokens.js';
import { badRequest, type ApiError } from '../../errors.js';

export type { TokenPurpose };

const BYTES = 32;
const LIFETIME_SECONDS = 3600;

/** What is kept of a token. A plain hash will do: 256 random bits can't be guessed, however fast the hash is. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Makes a token in the caller's transaction. @returns it in the clear: 64 hex digits */
export async function issueToken(tx: Queryable, userId: string, purpose: TokenPurpose): Promise<string> {
  const token = randomBytes(BYTES).toString('hex');
  await insertToken(tx, { hash: hashToken(token), userId, purpose, lifetimeSeconds: LIFETIME_SECONDS });
  return token;
}

/** Whether a token could be used now. */
export const isUsable = ({ pool }: Pick<Context, 'pool'>, token: string, purpose: TokenPurpose): Promise<boolean> =>
  isTokenValid(pool, hashToken(token), purpose);

/** The same whether a token is unknown, used, or too old. */
export const notUsable = (): ApiError =>
  badRequest('This token is not valid: it is unknown, was used already, or is older than an hour. Request a new mail.');
