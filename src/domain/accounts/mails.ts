/**
 * The mails to users: asking for one, and writing it.
 *
 * A request leaves a note of purpose and address, and never looks whether there is an account: it takes as long and
 * answers the same for every address. A worker makes the mail of the note, with its token, in the transaction that
 * takes the note: so a crash between any two steps loses no mail and makes none twice.
 */
import type { Context } from '../../context.js';
import { transaction, type Queryable } from '../../db/pool.js';
import {
  holdUserOfAddress,
  insertAccountMail,
  takeAccountMails,
  type AccountMail,
  type TokenPurpose,
} from './sql/auth-tokens.js';
import { startLoop, type Loop } from '../../loop.js';
import { queuePlatformMail } from '../platform/mail.js';
import { MAILS, tokenLink } from './mail-content.js';
import { issueToken } from './tokens.js';

/** Notes of one transaction. */
const TOGETHER = 50;
/** A look at the notes without a wake-up, in milliseconds. */
const POLL = 1000;

/** Notes that a mail is to be written, in the caller's transaction; wake the topic `accounts` after the commit. */
export const requestMail = (db: Queryable, kind: TokenPurpose, email: string): Promise<void> =>
  insertAccountMail(db, { kind, email });

/**
 * Writes the mails of up to 50 notes. A note about an address without an account, or about one that is verified
 * already, is dropped.
 *
 * @returns how many notes were taken
 */
export async function writeMails(ctx: Context): Promise<number> {
  const { taken, written } = await transaction(ctx.pool, async (tx) => {
    const notes = await takeAccountMails(tx, TOGETHER);
    let count = 0;
    for (const note of notes) if (await writeMail(tx, ctx, note)) count++;
    return { taken: notes.length, written: count };
  });
  if (written > 0) ctx.wake('emails');
  return taken;
}

async function writeMail(tx: Queryable, { config }: Context, { kind, email }: AccountMail): Promise<boolean> {
  const user = await holdUserOfAddress(tx, email);
  if (!user || (kind === 'verification' && user.emailVerified)) return false;
  const link = tokenLink(config.DASHBOARD_URL, kind, await issueToken(tx, user.id, kind));
  await queuePlatformMail(tx, config, { to: user.email, ...MAILS[kind], variables: { link, email: user.email } });
  return true;
}

/** Writes mails as they are asked for. Any number of workers do so side by side. */
export const startMailWriter = (ctx: Context): Loop =>
  startLoop({
    everyMs: POLL,
    look: async () => ((await writeMails(ctx)) === TOGETHER ? 0 : undefined),
    failed: (error) => ctx.log.warn({ err: error }, 'Mails to users can not be written now'),
  });
