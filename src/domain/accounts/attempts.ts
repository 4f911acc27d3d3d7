/** Guessing is slowed: failures are counted per address and per network over 15 minutes (contract, section 2). */
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { countAttempts, failAttempts, forgetAttempts, insertAttempts, lockAttempts, pruneAttempts, type AttemptLimit } from '../../db/sql/accounts.js';
import { ApiError } from '../../errors.js';

const WINDOW_SECONDS = 15 * 60;
/** How long to wait for attempts under way that may turn out to be successes. */
const PATIENCE_MS = 10_000;

/** The network that attempts are counted for: an IPv4 address, or the /64 that one IPv6 customer has all of. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(ip)) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const [left, right] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...(left ?? []), ...Array<string>(Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))).fill('0'), ...(right ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

const tooMany = (retryAfter: number): ApiError =>
  new ApiError('RATE_LIMIT_EXCEEDED', 'Too many attempts. Wait a while before the next one.', { retryAfter: Math.max(1, retryAfter) });

/**
 * Takes a place under each limit before the attempt is made, so that parallel guesses can't pass a limit together.
 *
 * Places of attempts under way may come free again: while only they are in the way, it waits for their outcome.
 */
async function takePlaces(ctx: Context, limits: AttemptLimit[]): Promise<number[]> {
  const keys = limits.map((limit) => limit.key);
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const taken = await transaction(ctx.pool, async (tx) => {
      await lockAttempts(tx, keys);
      const full = (await countAttempts(tx, limits, WINDOW_SECONDS)).filter((count) => count.taken >= count.max);
      return full.length === 0 ? { ids: await insertAttempts(tx, keys), full } : { ids: null, full };
    });
    if (taken.ids) return taken.ids;
    const failed = taken.full.some((count) => count.failed >= count.max);
    if (failed || Date.now() >= deadline) throw tooMany(Math.max(...taken.full.map((count) => count.retryAfter ?? WINDOW_SECONDS)));
    await delay(100 + Math.random() * 100);
  }
}

/**
 * Makes an attempt that counts under the limits however it ends, unless it throws.
 *
 * @throws RATE_LIMIT_EXCEEDED (429, with `retryAfter`) when a limit is used up; the attempt is then not made
 */
export async function countedAttempt(ctx: Context, limits: AttemptLimit[], make: () => Promise<void>): Promise<void> {
  await attempt(ctx, limits, async () => {
    await make();
    return null;
  });
}

/**
 * Makes an attempt that counts under the limits when it fails, that is, answers null. Successes don't count.
 *
 * @throws RATE_LIMIT_EXCEEDED (429, with `retryAfter`) when a limit is used up; the attempt is then not made
 */
export async function attempt<T>(ctx: Context, limits: AttemptLimit[], make: () => Promise<T | null>): Promise<T | null> {
  const ids = await takePlaces(ctx, limits);
  let outcome: T | null;
  try {
    outcome = await make();
  } catch (error) {
    await forgetAttempts(ctx.pool, ids);
    throw error;
  }
  await (outcome === null ? failAttempts(ctx.pool, ids) : forgetAttempts(ctx.pool, ids));
  await pruneAttempts(ctx.pool, WINDOW_SECONDS);
  return outcome;
}
