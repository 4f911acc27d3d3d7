/** Signing in with a provider: whose account that is here. */
import type { Context } from '../../context.js';
import { sqlState, transaction, type Queryable } from '../../db/pool.js';
import { markVerified } from './sql/auth-tokens.js';
import { findUserOfIdentity, insertIdentity, insertUser, lockUserOfAddress } from './sql/users.js';
import { newId } from '../../ids.js';
import type { Session } from './accounts.js';
import type { Profile } from './profile.js';

/** Why a sign-in was refused. */
export type SignInRefusal = 'email_not_verified' | 'account_exists' | 'already_linked' | 'signups_disabled';

/** What came of a sign-in: a session to start, or a reason. */
export type SignIn = { session: Session } | { refused: SignInRefusal };

/**
 * Finds or makes the account of a profile.
 *
 * 1. An account at the provider that is known belongs to its user, whatever its address is by now.
 * 2. Any other needs an address that the provider has verified.
 * 3. An address without an account gets one, verified, without a password.
 * 4. An address that has an account is not enough to enter it. Whoever made that account may not be who owns the
 * address: anybody can sign up with
 *    anybody's. So it is linked only if the browser is logged in to it, or if it was made by another provider's sign-in, has no password and is
 *    verified. In every other case one logs in first, or resets the password, which proves the address and ends the sessions of others.
 * 5. A user has one account of each provider: an address may be given to another person, and then comes with another
 * account.
 *
 * @param loggedIn the id of the user whose session the browser has
 */
export async function signIn(ctx: Context, profile: Profile, loggedIn: string | null): Promise<SignIn> {
  try {
    return await transaction(ctx.pool, (tx) => decide(tx, ctx, profile, loggedIn));
  } catch (error) {
    // Another request has just made this user or linked this account; with that committed, the rules have an answer.
    if (sqlState(error) !== '23505') throw error;
    return transaction(ctx.pool, (tx) => decide(tx, ctx, profile, loggedIn));
  }
}

async function decide(tx: Queryable, { config }: Context, profile: Profile, loggedIn: string | null): Promise<SignIn> {
  const known = await findUserOfIdentity(tx, profile);
  if (known) return { session: known };
  if (profile.email === null) return { refused: 'email_not_verified' };

  const user = await lockUserOfAddress(tx, profile.email, profile.provider);
  if (!user) {
    if (config.DISABLE_SIGNUPS) return { refused: 'signups_disabled' };
    const session = await insertUser(tx, {
      id: newId(),
      email: profile.email,
      passwordHash: null,
      emailVerified: true,
    });
    await insertIdentity(tx, session.id, profile);
    return { session };
  }
  const session: Session = { id: user.id, email: user.email, sessionVersion: user.sessionVersion };
  // Linked since the look before, by a request beside this one.
  if (user.linkedSubject === profile.subject) return { session };
  const isTheirs = user.id === loggedIn || (user.emailVerified && !user.hasPassword);
  if (!isTheirs) return { refused: 'account_exists' };
  if (user.linkedSubject !== null) return { refused: 'already_linked' };
  await insertIdentity(tx, user.id, profile);
  await markVerified(tx, user.id);
  return { session };
}
