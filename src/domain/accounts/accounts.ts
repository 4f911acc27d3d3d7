/** Accounts: signing up and logging in. */
import type { Context } from '../../context.js';
import { sqlState, transaction } from '../../db/pool.js';
import { insertUser } from './sql/users.js';
import { ApiError, conflict, forbidden } from '../../errors.js';
import { newId } from '../../ids.js';
import { attempt, networkOf } from './attempts.js';
import { addressKey, FAILURES_PER_ADDRESS, FAILURES_PER_NETWORK } from './limits.js';
import { requestMail } from './mails.js';
import { hashPassword, NO_HASH, verifyPassword } from './passwords.js';
import { createTurns } from './turns.js';

export interface Account {
  id: string;
  email: string;
  emailVerified: boolean;
}

/** What a session is made of; raising the version ends all of the user's sessions. */
export interface Session {
  id: string;
  email: string;
  sessionVersion: number;
}

export interface Credentials {
  email: string;
  password: string;
}

/**
 * Logins of one network, and for one address, that are under way at the same time in this process. Those beyond them
 * wait, and are refused unchecked if these fail too often; a few are enough, for Node hashes four passwords at a time.
 */
const networkTurns = createTurns(8);
const addressTurns = createTurns(4);

const SESSION = { id: true, email: true, sessionVersion: true } as const;

/**
 * Creates an account, and where addresses must be verified has the mail for it written.
 *
 * @throws FORBIDDEN (403) when signups are disabled, CONFLICT (409) when the address has an account
 */
export async function signUp(ctx: Context, { email, password }: Credentials): Promise<Session> {
  if (ctx.config.DISABLE_SIGNUPS) throw forbidden('Signups are disabled on this installation.');
  const passwordHash = await hashPassword(password);
  try {
    const session = await transaction(ctx.pool, async (tx) => {
      const created = await insertUser(tx, { id: newId(), email, passwordHash, emailVerified: false });
      // Elsewhere a user asks for it, or never needs it.
      if (ctx.config.REQUIRE_EMAIL_VERIFICATION) await requestMail(tx, 'verification', email);
      return created;
    });
    if (ctx.config.REQUIRE_EMAIL_VERIFICATION) ctx.wake('accounts');
    return session;
  } catch (error) {
    if (sqlState(error) === '23505') throw conflict('There is an account with this address already.', { cause: error });
    throw error;
  }
}

/**
 * Checks credentials; unknown addresses get the same answer in the same time as wrong passwords.
 *
 * @param ip the client's address
 * @throws INVALID_CREDENTIALS (401), RATE_LIMIT_EXCEEDED (429) after 10 failures per address or 100 per network in 15
 * minutes
 */
export async function logIn(ctx: Context, { email, password }: Credentials, ip: string): Promise<Session> {
  const network = networkOf(ip);
  const limits = [
    { key: addressKey('login', email), max: FAILURES_PER_ADDRESS },
    { key: `login:network:${network}`, max: FAILURES_PER_NETWORK },
  ];
  const check = async (): Promise<Session | null> => {
    const user = await ctx.prisma.user.findUnique({ where: { email }, select: { ...SESSION, passwordHash: true } });
    // An account of another provider has no password: it is checked like an unknown one.
    const matches = await verifyPassword(password, user?.passwordHash ?? NO_HASH);
    return user && matches ? { id: user.id, email: user.email, sessionVersion: user.sessionVersion } : null;
  };
  const session = await networkTurns(network, () => addressTurns(email, () => attempt(ctx, limits, check)));
  if (!session) throw new ApiError('INVALID_CREDENTIALS', 'The address or the password is wrong.');
  return session;
}

/** @throws EMAIL_VERIFICATION_REQUIRED (403) when the installation wants verified addresses and the account's is not */
export function requireVerified(ctx: Context, account: Account): void {
  if (ctx.config.REQUIRE_EMAIL_VERIFICATION && !account.emailVerified)
    throw new ApiError('EMAIL_VERIFICATION_REQUIRED', 'Verify your email address first.');
}
