/**
 * Emails to users: requesting them and writing them.
 *
 * A request only inserts a row with its kind and address, and never checks whether the address has an account, so it
 * takes equally long for every address. A worker writes the email with its token in the transaction that deletes the
 * row, so a crash neither loses nor repeats an email.
 */
import type { Context } from '../../context.js';
import { transaction, type Queryable } from '../../db/pool.js';
import {
  hasEmailRequests,
  insertEmailRequest,
  lockUserByEmail,
  takeEmailRequests,
  type EmailRequest,
  type TokenPurpose,
} from './sql/tokens.js';
import { startLoop, type Loop } from '../../loop.js';
import { queuePlatformEmail } from '../platform/emails.js';
import { EMAIL_CONTENT, tokenLink } from './email-content.js';
import { issueToken } from './tokens.js';

const REQUEST_BATCH_SIZE = 50;
/** The interval of the poll that finds requests whose wake-up was lost. */
const POLL_INTERVAL_MS = 5000;

/** Requests an email in the caller's transaction. Wake the topic `accounts` after the commit. */
export const requestAccountEmail = (db: Queryable, kind: TokenPurpose, email: string): Promise<void> =>
  insertEmailRequest(db, { kind, email });

/**
 * Writes the emails of up to 50 requests. Requests for addresses without an account are dropped, and so are
 * verification requests for verified addresses.
 *
 * @returns the number of requests
 */
export async function writeRequestedEmails(ctx: Context): Promise<number> {
  const { requested, written } = await transaction(ctx.pool, async (tx) => {
    const requests = await takeEmailRequests(tx, REQUEST_BATCH_SIZE);
    let count = 0;
    for (const request of requests) if (await writeEmail(tx, ctx, request)) count++;
    return { requested: requests.length, written: count };
  });
  if (written > 0) ctx.wake('emails');
  return requested;
}

async function writeEmail(tx: Queryable, { config }: Context, { kind, email }: EmailRequest): Promise<boolean> {
  const user = await lockUserByEmail(tx, email);
  if (!user || (kind === 'verification' && user.emailVerified)) return false;
  const link = tokenLink(config.DASHBOARD_URL, kind, await issueToken(tx, user.id, kind));
  await queuePlatformEmail(tx, config, {
    to: user.email,
    ...EMAIL_CONTENT[kind],
    variables: { link, email: user.email },
  });
  return true;
}

/** Writes requested emails until it is stopped. Any number of workers can do so concurrently. */
export const startEmailWriter = (ctx: Context): Loop =>
  startLoop({
    everyMs: POLL_INTERVAL_MS,
    async runTurn() {
      // First, because there are usually none and a transaction takes three statements.
      if (!(await hasEmailRequests(ctx.pool))) return undefined;
      return (await writeRequestedEmails(ctx)) === REQUEST_BATCH_SIZE ? 0 : undefined;
    },
    failed: (error) => ctx.log.warn({ err: error }, 'Accounts: could not write requested emails'),
  });
