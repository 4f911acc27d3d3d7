/** `POST /users/@me/test-email`: an email to the user, which shows that the installation delivers. */
import type { Context } from '../../context.js';
import { queuePlatformEmail } from '../platform/emails.js';
import { addressKey, countAttempt, MAX_EMAILS_PER_ADDRESS } from './attempts.js';
import { TEST_EMAIL } from './email-content.js';

/**
 * Sends an email with a fixed content from `PLATFORM_FROM` to the address of a user. It belongs to no project.
 *
 * @throws RATE_LIMIT_EXCEEDED (429) after 5 emails to an address in 15 minutes
 */
export async function sendTestEmail(ctx: Context, email: string): Promise<void> {
  await countAttempt(ctx, [{ key: addressKey('test', email), max: MAX_EMAILS_PER_ADDRESS }], (tx) =>
    queuePlatformEmail(tx, ctx.config, {
      to: email,
      ...TEST_EMAIL,
      variables: { link: ctx.config.DASHBOARD_URL, email },
    }),
  );
  ctx.wake('emails');
}
