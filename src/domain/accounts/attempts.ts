/** Guessing is slowed: failures are counted per address and per network over 15 minutes (contract, section 2). */
import { isIPv6 } from 'node:net';
import type { Context } from '../../context.js';
import { transaction, type Queryable } from '../../db/pool.js';
import { countAttempts, insertAttempts, lockAttempts, pruneAttempts, type AttemptLimit } from './sql/accounts.js';
import { ApiError } from '../../errors.js';

const WINDOW_SECONDS = 15 * 60;

/** The network that attempts are counted for: an IPv4 address, or the /64 that one IPv6 customer has all of. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(ip)) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const [left, right] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [
    ...(left ?? []),
    ...Array<string>(Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))).fill('0'),
    ...(right ?? []),
  ];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** @throws RATE_LIMIT_EXCEEDED (429, with `retryAfter`) when one of the limits is used up */
async function requireRoom(db: Queryable, limits: AttemptLimit[]): Promise<void> {
  const full = (await countAttempts(db, limits, WINDOW_SECONDS)).filter(({ failed, max }) => failed >= max);
  if (full.length === 0) return;
  const retryAfter = Math.max(1, ...full.map((count) => count.retryAfter ?? WINDOW_SECONDS));
  throw new ApiError('RATE_LIMIT_EXCEEDED', 'Too many attempts. Wait a while before the next one.', { retryAfter });
}

/**
 * Counts one under each limit, in the caller's transaction, which holds them from then on: parallel ones can't pass a
 * limit together.
 */
async function take(tx: Queryable, limits: AttemptLimit[]): Promise<void> {
  const keys = limits.map((limit) => limit.key);
  await lockAttempts(tx, keys);
  await requireRoom(tx, limits);
  await insertAttempts(tx, keys);
}

/**
 * Does something that counts under the limits, in one transaction: all of it is done and counted, or nothing.
 *
 * @throws RATE_LIMIT_EXCEEDED (429, with `retryAfter`) when a limit is used up; nothing is done then
 */
export async function countedAttempt(
  ctx: Context,
  limits: AttemptLimit[],
  make: (tx: Queryable) => Promise<void>,
): Promise<void> {
  await transaction(ctx.pool, async (tx) => {
    await take(tx, limits);
    await make(tx);
  });
  await pruneAttempts(ctx.pool, WINDOW_SECONDS);
}

/**
 * Makes an attempt that counts under the limits when it fails, that is, answers null. Successes don't count, however
 * many there are at the same moment.
 *
 * Parallel guesses are made, and then judged one after the other: whose judgement comes after the last failure that a
 * limit allows learns nothing, not even that the guess was right. So they get no further together than one by one.
 *
 * @throws RATE_LIMIT_EXCEEDED (429, with `retryAfter`) when a limit is used up, before the attempt or by the time of
 * its judgement
 */
export async function attempt<T>(
  ctx: Context,
  limits: AttemptLimit[],
  make: () => Promise<T | null>,
): Promise<T | null> {
  await requireRoom(ctx.pool, limits);
  const outcome = await make();
  if (outcome === null) await transaction(ctx.pool, (tx) => take(tx, limits));
  else await requireRoom(ctx.pool, limits);
  await pruneAttempts(ctx.pool, WINDOW_SECONDS);
  return outcome;
}
