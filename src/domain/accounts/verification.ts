/** Verifying that an address is its user's. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { markVerified, useToken } from './sql/auth-tokens.js';
import { countedAttempt } from './attempts.js';
import { addressKey, MAILS_PER_ADDRESS } from './limits.js';
import { requestMail } from './mails.js';
import { hashToken, notUsable } from './tokens.js';

/**
 * Has a mail written with a token that verifies the address, if it has an account that is not verified yet; whoever
 * asks doesn't learn it.
 *
 * @param email normalised
 * @throws RATE_LIMIT_EXCEEDED (429) from the sixth request for an address in 15 minutes on
 */
export async function requestVerification(ctx: Context, email: string): Promise<void> {
  await countedAttempt(ctx, [{ key: addressKey('verification', email), max: MAILS_PER_ADDRESS }], (tx) =>
    requestMail(tx, 'verification', email),
  );
  ctx.wake('accounts');
}

/**
 * @throws BAD_REQUEST (400) for a token that is unknown, used, too old, or of another purpose; of parallel calls with
 * one token one succeeds
 */
export async function verifyEmail(ctx: Context, token: string): Promise<void> {
  await transaction(ctx.pool, async (tx) => {
    const userId = await useToken(tx, hashToken(token), 'verification');
    if (userId === null) throw notUsable();
    await markVerified(tx, userId);
  });
}
