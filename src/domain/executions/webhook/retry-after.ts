/** When a receiver wants to be asked again. Pure. */
import { backoffMs } from '../../../backoff.js';

/**
 * Longest wait, also of those that a receiver can ask for: the attempts end after an hour, and one that names a day
 * shall be asked a few times more.
 */
const LONGEST_MS = 10 * 60_000;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
 *
 * @returns milliseconds from `now`, at most ten minutes; null where there is none, or one that means nothing
 */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,15}$/.test(text)
    ? Number(text) * 1000
    : /[a-z]/i.test(text)
      ? Date.parse(text) - now.getTime()
      : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}

const FIRST_WAIT_MS = 1000;

/**
 * The wait behind an attempt: it doubles from a second. A receiver can ask for a longer one, and not for a call every
 * second of an hour.
 */
export const waitBehind = (attempt: number, retryAfterMs: number | null): number =>
  Math.max(backoffMs(attempt, { minMs: FIRST_WAIT_MS, maxMs: LONGEST_MS }), retryAfterMs ?? 0);
