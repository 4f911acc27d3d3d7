/** Verification that an address belongs to its user. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { addressKey, countAttempt, MAX_EMAILS_PER_ADDRESS } from './attempts.js';
import { requestAccountEmail } from './emails.js';
import { markVerified, useToken } from './sql/tokens.js';
import { hashToken, invalidToken } from './tokens.js';

/**
 * Requests an email with a token that verifies the address. Nothing is sent if the address has no account or is already
 * verified; the caller cannot tell.
 *
 * @param email normalized
 * @throws RATE_LIMIT_EXCEEDED (429) after 5 requests for an address in 15 minutes
 */
export async function requestVerification(ctx: Context, email: string): Promise<void> {
  await countAttempt(ctx, [{ key: addressKey('verification', email), max: MAX_EMAILS_PER_ADDRESS }], (tx) =>
    requestAccountEmail(tx, 'verification', email),
  );
  ctx.wake('accounts');
}

/** @throws BAD_REQUEST (400) for a token that is unknown, used, expired, or of another purpose */
export async function verifyEmail(ctx: Context, token: string): Promise<void> {
  await transaction(ctx.pool, async (tx) => {
    const userId = await useToken(tx, hashToken(token), 'verification');
    if (userId === null) throw invalidToken();
    await markVerified(tx, userId);
  });
}
