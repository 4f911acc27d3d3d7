/** When a receiver wants to be asked again. Pure. */

/** Longest wait that a receiver can ask for: the attempts end after an hour, and one that names a day shall be asked a few times more. */
const LONGEST_MS = 10 * 60_000;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
 *
 * @returns milliseconds from `now`, at most ten minutes; null where there is none, or one that means nothing
 */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : /[a-z]/i.test(text) ? Date.parse(text) - now.getTime() : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}

/** Temporal's own wait doubles from a second (workflows/execution.ts). */
const FIRST_WAIT_MS = 1000;

/** The wait that a receiver asks for behind this attempt; null where Temporal's own is as long, so that nobody can ask for a call every second of an hour. */
export const beyondBackoff = (retryAfterMs: number | null, attempt: number): number | null =>
  retryAfterMs !== null && retryAfterMs > FIRST_WAIT_MS * 2 ** (attempt - 1) ? retryAfterMs : null;
