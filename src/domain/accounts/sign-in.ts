/** Sign-in with a provider. */
import type { Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { transaction, type Queryable } from '../../db/pool.js';
import { newId } from '../../ids.js';
import type { Profile } from './profile.js';
import { markVerified } from './sql/tokens.js';
import { findUserByIdentity, insertIdentity, insertUser, lockUserForSignIn, type SessionUser } from './sql/users.js';

/** The reason for a rejected sign-in. */
export type SignInRefusal = 'email_not_verified' | 'account_exists' | 'already_linked' | 'signups_disabled';

/** The user to start a session for, or the reason for a rejection. */
export type SignInResult = { user: SessionUser } | { refused: SignInRefusal };

/**
 * Finds or creates the account of a profile.
 *
 * 1. A known identity belongs to its user, even if its address has changed.
 * 2. An unknown identity requires an address that the provider has verified.
 * 3. An address without an account gets one, verified and without a password.
 * 4. An address with an account does not prove ownership of that account, because anyone can sign up with any address.
 *    The identity is linked only if the browser is logged in to the account, or if the account has a verified address
 *    and no password, that is, another provider's sign-in created it. Otherwise the user must log in first, or reset
 *    the password, which proves the address and ends all other sessions.
 * 5. A user has one identity per provider. An address may be reassigned to another person, who then signs in with
 *    another identity.
 *
 * @param loggedInId the id of the user whose session the browser has
 */
export async function signIn(ctx: Context, profile: Profile, loggedInId: string | null): Promise<SignInResult> {
  try {
    return await transaction(ctx.pool, (tx) => findOrCreateUser(tx, ctx, profile, loggedInId));
  } catch (error) {
    // A concurrent request created the user or linked the identity. Its rows are now committed and visible.
    if (sqlState(error) !== '23505') throw error;
    return transaction(ctx.pool, (tx) => findOrCreateUser(tx, ctx, profile, loggedInId));
  }
}

async function findOrCreateUser(
  tx: Queryable,
  { config }: Context,
  profile: Profile,
  loggedInId: string | null,
): Promise<SignInResult> {
  const known = await findUserByIdentity(tx, profile);
  if (known) return { user: known };
  if (profile.email === null) return { refused: 'email_not_verified' };

  const locked = await lockUserForSignIn(tx, profile.email, profile.provider);
  if (!locked) {
    if (config.DISABLE_SIGNUPS) return { refused: 'signups_disabled' };
    const created = await insertUser(tx, {
      id: newId(),
      email: profile.email,
      passwordHash: null,
      emailVerified: true,
    });
    await insertIdentity(tx, created.id, profile);
    return { user: created };
  }
  const user: SessionUser = { id: locked.id, email: locked.email, sessionVersion: locked.sessionVersion };
  // A concurrent request linked the identity after the first query.
  if (locked.linkedSubject === profile.subject) return { user };
  const ownsAccount = locked.id === loggedInId || (locked.emailVerified && !locked.hasPassword);
  if (!ownsAccount) return { refused: 'account_exists' };
  if (locked.linkedSubject !== null) return { refused: 'already_linked' };
  await insertIdentity(tx, locked.id, profile);
  await markVerified(tx, locked.id);
  return { user };
}
