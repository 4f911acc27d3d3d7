/** `PATCH /users/@me`: a new address, a new password, or both. */
import type { ApiContext, Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { transaction, type Queryable } from '../../db/pool.js';
import { ApiError } from '../../errors.js';
import { queuePlatformEmail } from '../platform/emails.js';
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
import { ADDRESS_CHANGED } from './email-content.js';
import { requestAccountEmail } from './emails.js';
import { hashPassword, verifyPassword } from './passwords.js';
import { endOtherSessions, type Account, type SessionToken } from './sessions.js';
import { invalidateTokens } from './sql/tokens.js';
import { changeUser, lockUser, type AccountChanges } from './sql/users.js';

export interface AccountUpdate {
  /** Normalized. */
  email?: string;
  newPassword?: string;
  currentPassword: string;
}

export interface ChangedAccount {
  id: string;
  email: string;
  emailVerified: boolean;
  /** The content of a new cookie for the current session; null if the password stays. */
  token: SessionToken | null;
}

const fieldError = (field: string, message: string, cause?: unknown): ApiError =>
  new ApiError('VALIDATION_ERROR', 'Request validation failed', {
    errors: [{ field, message, code: 'custom' }],
    cause,
  });

const sessionEnded = (): ApiError => new ApiError('UNAUTHORIZED', 'This session has ended. Log in again.');

/**
 * Changes the address or the password of the logged-in user.
 *
 * A new address is not verified. Tokens that were sent to the former address stop working, which is told about the
 * change. A new password ends all other sessions. Wrong passwords count as failed logins of the address.
 *
 * An account without a password cannot prove that the owner makes the request, because a session can be stolen. Its
 * first password comes from a password reset, which proves the mailbox.
 *
 * @param ip the client's address
 * @throws VALIDATION_ERROR (422) for a wrong password, an account without a password, and an address of another account;
 * RATE_LIMIT_EXCEEDED (429) with the limits of logins, and for a new address also with those of sign-ups
 */
export async function changeAccount(
  ctx: ApiContext,
  account: Account,
  { email, newPassword, currentPassword }: AccountUpdate,
  ip: string,
): Promise<ChangedAccount> {
  const newEmail = email === undefined || email === account.email ? null : email;
  const checkedHash = await requirePassword(ctx, account, currentPassword, ip);
  // As in a sign-up, so that the response about a taken address reveals no more than there.
  if (newEmail !== null) {
    await countAttempt(ctx, [
      { key: addressKey('signup', newEmail), max: MAX_SIGNUPS_PER_ADDRESS },
      { key: networkKey('signup', networkOf(ip)), max: MAX_SIGNUPS_PER_NETWORK },
    ]);
  }
  const passwordHash =
    newPassword === undefined ? null : await hashPassword(newPassword, ctx.config.PASSWORD_HASH_LOG2N);
  try {
    const changed = await transaction(ctx.pool, (tx) =>
      storeChanges(tx, ctx, account, { email: newEmail, passwordHash, checkedHash }),
    );
    if (newEmail !== null) {
      ctx.wake('emails');
      ctx.wake('accounts');
    }
    return changed;
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw fieldError('email', 'must not be the address of another account', error);
  }
}

/** Returns the hash of the password, which is checked like a login. */
async function requirePassword(ctx: ApiContext, { id, email }: Account, password: string, ip: string): Promise<string> {
  const user = await ctx.prisma.user.findUnique({ where: { id }, select: { passwordHash: true } });
  const hash = user?.passwordHash;
  if (!hash)
    throw fieldError(
      'currentPassword',
      'This account has no password. Request an email with `POST /auth/request-password-reset` to set one first.',
    );
  const limits = [
    { key: addressKey('login', email), max: MAX_FAILED_LOGINS_PER_ADDRESS },
    { key: networkKey('login', networkOf(ip)), max: MAX_FAILED_LOGINS_PER_NETWORK },
  ];
  const checked = await countFailedAttempt(ctx, limits, async () =>
    (await verifyPassword(password, hash)) ? hash : null,
  );
  if (checked === null) throw fieldError('currentPassword', 'must be the current password');
  return checked;
}

async function storeChanges(
  tx: Queryable,
  { config }: Context,
  { id, sessionId }: Account,
  { checkedHash, ...changes }: AccountChanges & { checkedHash: string },
): Promise<ChangedAccount> {
  const locked = await lockUser(tx, id);
  // A concurrent request has set another password, which ended this session.
  if (locked?.passwordHash !== checkedHash) throw sessionEnded();
  const { sessionVersion, ...user } = await changeUser(tx, id, changes);
  if (changes.email !== null) {
    await invalidateTokens(tx, id);
    await queuePlatformEmail(tx, config, {
      to: locked.email,
      ...ADDRESS_CHANGED,
      variables: { link: config.DASHBOARD_URL, email: locked.email, newEmail: user.email },
    });
    if (config.REQUIRE_EMAIL_VERIFICATION) await requestAccountEmail(tx, 'verification', user.email);
  }
  if (changes.passwordHash === null) return { ...user, token: null };
  if (!(await endOtherSessions(tx, id, sessionId))) throw sessionEnded();
  return { ...user, token: { sid: sessionId, sub: id, version: sessionVersion } };
}
