/** Limits on logins, sign-ups, and requested emails, counted over 15 minutes (contract, section 2). */
import { isIPv6 } from 'node:net';
import type { Context } from '../../context.js';
import { transaction, type Queryable } from '../../db/pool.js';
import { countAttempts, insertAttempts, lockAttempts, pruneAttempts, type AttemptLimit } from './sql/attempts.js';
import { ApiError } from '../../errors.js';

const WINDOW_SECONDS = 15 * 60;

export const MAX_FAILED_LOGINS_PER_ADDRESS = 10;
export const MAX_FAILED_LOGINS_PER_NETWORK = 100;
/** Every sign-up counts, because each one costs a password hash and may send an email. */
export const MAX_SIGNUPS_PER_ADDRESS = 10;
export const MAX_SIGNUPS_PER_NETWORK = 100;
/** Emails of one kind that can be requested for one address. */
export const MAX_EMAILS_PER_ADDRESS = 5;

type Action = 'login' | 'signup' | 'reset' | 'verification' | 'test';

export const addressKey = (action: Action, email: string): string => `${action}:address:${email}`;
export const networkKey = (action: Action, network: string): string => `${action}:network:${network}`;

/** Returns the network of a client: its IPv4 address, or the /64 of its IPv6 address, which one customer owns. */
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

/** @throws RATE_LIMIT_EXCEEDED (429, with `retryAfter`) if one of the limits is used up */
async function requireRoom(db: Queryable, limits: AttemptLimit[]): Promise<void> {
  const full = (await countAttempts(db, limits, WINDOW_SECONDS)).filter(({ count, max }) => count >= max);
  if (full.length === 0) return;
  const retryAfter = Math.max(1, ...full.map((limit) => limit.retryAfter ?? WINDOW_SECONDS));
  throw new ApiError('RATE_LIMIT_EXCEEDED', 'Too many attempts. Wait before you try again.', { retryAfter });
}

/**
 * Counts one attempt under each limit and does `work` in the same transaction, so that both happen or neither.
 * Concurrent attempts under one limit wait for each other and cannot exceed it together.
 *
 * @throws RATE_LIMIT_EXCEEDED (429, with `retryAfter`) if a limit is used up; `work` is not called
 */
export async function countAttempt(
  ctx: Context,
  limits: AttemptLimit[],
  work?: (tx: Queryable) => Promise<void>,
): Promise<void> {
  const keys = limits.map((limit) => limit.key);
  await transaction(ctx.pool, async (tx) => {
    await lockAttempts(tx, keys);
    await requireRoom(tx, limits);
    await insertAttempts(tx, keys);
    await work?.(tx);
  });
  await pruneAttempts(ctx.pool, WINDOW_SECONDS);
}

/**
 * Makes an attempt that counts under the limits only if it fails, that is, if `work` returns null.
 *
 * The limits are checked again after `work`. A guess that runs in parallel with the last allowed failure then gets 429
 * even if it was right, so parallel guesses learn no more than sequential ones.
 *
 * @throws RATE_LIMIT_EXCEEDED (429, with `retryAfter`) if a limit is used up before or after `work`
 */
export async function countFailedAttempt<T>(
  ctx: Context,
  limits: AttemptLimit[],
  work: () => Promise<T | null>,
): Promise<T | null> {
  await requireRoom(ctx.pool, limits);
  const outcome = await work();
  if (outcome === null) {
    await countAttempt(ctx, limits);
    return null;
  }
  await requireRoom(ctx.pool, limits);
  await pruneAttempts(ctx.pool, WINDOW_SECONDS);
  return outcome;
}
