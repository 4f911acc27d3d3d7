/** Password resets: requesting the email, and choosing a new password with its token. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { addressKey, countAttempt, MAX_EMAILS_PER_ADDRESS } from './attempts.js';
import { requestAccountEmail } from './emails.js';
import { hashPassword } from './passwords.js';
import { deleteAttempts } from './sql/attempts.js';
import { markVerified, replacePassword, useToken } from './sql/tokens.js';
import { hashToken, invalidToken, isTokenUsable } from './tokens.js';

/**
 * Requests an email with a token for a new password. Accounts that only sign in with a provider get one, too.
 *
 * It never checks whether the address has an account, so neither the response nor its time reveals this.
 *
 * @param email normalized
 * @throws RATE_LIMIT_EXCEEDED (429) after 5 requests for an address in 15 minutes
 */
export async function requestPasswordReset(ctx: Context, email: string): Promise<void> {
  await countAttempt(ctx, [{ key: addressKey('reset', email), max: MAX_EMAILS_PER_ADDRESS }], (tx) =>
    requestAccountEmail(tx, 'password-reset', email),
  );
  ctx.wake('accounts');
}

/**
 * Replaces the password of the token's user, ends all sessions, and deletes the failed logins of the address. Also
 * marks the address as verified, because the token came from its mailbox.
 *
 * @throws BAD_REQUEST (400) for a token that is unknown, used, expired, or of another purpose
 */
export async function resetPassword(ctx: Context, token: string, password: string): Promise<void> {
  // Password hashing is expensive, so it requires a valid token.
  if (!(await isTokenUsable(ctx, token, 'password-reset'))) throw invalidToken();
  const passwordHash = await hashPassword(password, ctx.config.PASSWORD_HASH_LOG2N);
  await transaction(ctx.pool, async (tx) => {
    const userId = await useToken(tx, hashToken(token), 'password-reset');
    if (userId === null) throw invalidToken();
    const email = await replacePassword(tx, userId, passwordHash);
    await markVerified(tx, userId);
    await deleteAttempts(tx, addressKey('login', email));
  });
}
