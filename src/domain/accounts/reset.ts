/** Forgotten passwords: asking for a mail, and choosing a new one with its token. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { forgetFailures } from './sql/accounts.js';
import { markVerified, replacePassword, useToken } from './sql/auth-tokens.js';
import { countedAttempt } from './attempts.js';
import { addressKey, MAILS_PER_ADDRESS } from './limits.js';
import { requestMail } from './mails.js';
import { hashPassword } from './passwords.js';
import { hashToken, isUsable, notUsable } from './tokens.js';

/**
 * Has a mail written with a token for a new password, if the address has an account: also for one that has only signed
 * in with a provider.
 *
 * It never looks whether there is an account, so nobody learns it from the answer or its time.
 *
 * @param email normalised
 * @throws RATE_LIMIT_EXCEEDED (429) from the sixth request for an address in 15 minutes on
 */
export async function requestPasswordReset(ctx: Context, email: string): Promise<void> {
  await countedAttempt(ctx, [{ key: addressKey('reset', email), max: MAILS_PER_ADDRESS }], (tx) =>
    requestMail(tx, 'password-reset', email),
  );
  ctx.wake('accounts');
}

/**
 * Replaces the password of the token's user, ends all sessions, and voids the user's other tokens for that. The address
 * is verified by it: the token came from its mailbox. Failed logins with the old password are forgotten.
 *
 * @throws BAD_REQUEST (400) for a token that is unknown, used, too old, or of another purpose; of parallel calls with
 * one token one succeeds
 */
export async function resetPassword(ctx: Context, token: string, password: string): Promise<void> {
  // Hashing a password is dear: only who has a token can have it done.
  if (!(await isUsable(ctx, token, 'password-reset'))) throw notUsable();
  const passwordHash = await hashPassword(password);
  await transaction(ctx.pool, async (tx) => {
    const userId = await useToken(tx, hashToken(token), 'password-reset');
    if (userId === null) throw notUsable();
    const email = await replacePassword(tx, userId, passwordHash);
    await markVerified(tx, userId);
    await forgetFailures(tx, addressKey('login', email));
  });
}
