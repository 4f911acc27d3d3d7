/** Exponential backoff: the one formula for every wait before a retry. */

export interface BackoffOptions {
  /** The wait before the first retry, in milliseconds. */
  minMs: number;
  /** The upper bound of the wait, before jitter. */
  maxMs: number;
  /**
   * Spreads the wait evenly over `1 ± jitter` times its length, so that callers that failed together do not retry
   * together. Default 0: no jitter.
   */
  jitter?: number;
  /** Returns a number from 0 to 1. Default `Math.random`. */
  random?: () => number;
}

/**
 * Returns the wait after a failed attempt, in milliseconds: `minMs` after attempt 1, then twice as long after each
 * attempt, up to `maxMs`.
 */
export function backoffMs(attempt: number, { minMs, maxMs, jitter = 0, random = Math.random }: BackoffOptions): number {
  const waitMs = Math.min(minMs * 2 ** (attempt - 1), maxMs);
  return jitter === 0 ? waitMs : Math.round(waitMs * (1 + jitter * (2 * random() - 1)));
}
