/** Accounts: sign-up and login. */
import type { ApiContext, Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { transaction } from '../../db/pool.js';
import { ApiError, conflict, forbidden } from '../../errors.js';
import { newId } from '../../ids.js';
import { createKeyedLimit } from '../../keyed-limit.js';
import {
  addressKey,
  countAttempt,
  countFailedAttempt,
  MAX_FAILED_LOGINS_PER_ADDRESS,
  MAX_FAILED_LOGINS_PER_NETWORK,
  MAX_SIGNUPS_PER_ADDRESS,
  MAX_SIGNUPS_PER_NETWORK,
  networkKey,
  networkOf,
} from './attempts.js';
import { requestAccountEmail } from './emails.js';
import { hashPassword, unmatchedHash, verifyPassword } from './passwords.js';
import type { Account } from './sessions.js';
import { insertUser, type SessionUser } from './sql/users.js';

export interface Credentials {
  email: string;
  password: string;
}

/**
 * Concurrent logins and sign-ups per network and per address in this process. Further ones wait, and a waiting login is
 * rejected without a hash if the earlier ones fail too often.
 */
const limitNetwork = createKeyedLimit(8);
const limitAddress = createKeyedLimit(4);

/**
 * Creates an account, and requests the verification email if the installation requires verified addresses.
 *
 * Every attempt counts before the hash, whether or not the address has an account, so that the 429 reveals nothing
 * about the address.
 *
 * @param ip the client's address
 * @throws FORBIDDEN (403) if sign-ups are disabled, CONFLICT (409) if the address already has an account,
 * RATE_LIMIT_EXCEEDED (429) after 10 attempts per address or 100 per network in 15 minutes
 */
export async function signUp(ctx: Context, { email, password }: Credentials, ip: string): Promise<SessionUser> {
  const { DISABLE_SIGNUPS, REQUIRE_EMAIL_VERIFICATION } = ctx.config;
  if (DISABLE_SIGNUPS) throw forbidden('Sign-ups are disabled on this installation.');
  const network = networkOf(ip);
  await countAttempt(ctx, [
    { key: addressKey('signup', email), max: MAX_SIGNUPS_PER_ADDRESS },
    { key: networkKey('signup', network), max: MAX_SIGNUPS_PER_NETWORK },
  ]);
  const passwordHash = await limitNetwork(network, () => hashPassword(password, ctx.config.PASSWORD_HASH_LOG2N));
  try {
    const user = await transaction(ctx.pool, async (tx) => {
      const created = await insertUser(tx, { id: newId(), email, passwordHash, emailVerified: false });
      if (REQUIRE_EMAIL_VERIFICATION) await requestAccountEmail(tx, 'verification', email);
      return created;
    });
    if (REQUIRE_EMAIL_VERIFICATION) ctx.wake('accounts');
    return user;
  } catch (error) {
    if (sqlState(error) === '23505') throw conflict('An account with this address already exists.', { cause: error });
    throw error;
  }
}

/**
 * Checks credentials. An unknown address gets the same response in the same time as a wrong password.
 *
 * @param ip the client's address
 * @throws INVALID_CREDENTIALS (401), RATE_LIMIT_EXCEEDED (429) after 10 failures per address or 100 per network in 15
 * minutes
 */
export async function logIn(ctx: ApiContext, { email, password }: Credentials, ip: string): Promise<SessionUser> {
  const network = networkOf(ip);
  const limits = [
    { key: addressKey('login', email), max: MAX_FAILED_LOGINS_PER_ADDRESS },
    { key: networkKey('login', network), max: MAX_FAILED_LOGINS_PER_NETWORK },
  ];
  const checkPassword = async (): Promise<SessionUser | null> => {
    const user = await ctx.prisma.user.findUnique({
      where: { email },
      select: { id: true, email: true, sessionVersion: true, passwordHash: true },
    });
    // An account that only signs in with a provider has no password. It is checked like an unknown address.
    const matches = await verifyPassword(password, user?.passwordHash ?? unmatchedHash(ctx.config.PASSWORD_HASH_LOG2N));
    return user && matches ? { id: user.id, email: user.email, sessionVersion: user.sessionVersion } : null;
  };
  const user = await limitNetwork(network, () =>
    limitAddress(email, () => countFailedAttempt(ctx, limits, checkPassword)),
  );
  if (!user) throw new ApiError('INVALID_CREDENTIALS', 'The email address or password is incorrect.');
  return user;
}

/** @throws EMAIL_VERIFICATION_REQUIRED (403) if the installation requires verified addresses and this one is not */
export function requireVerified(ctx: Context, account: Account): void {
  if (ctx.config.REQUIRE_EMAIL_VERIFICATION && !account.emailVerified)
    throw new ApiError('EMAIL_VERIFICATION_REQUIRED', 'Verify your email address first.');
}
