/** When an email that was not accepted is tried again (contract, section 4: "retried with backoff for up to 24 h"). */
import { backoffMs } from '../../backoff.js';

const HOUR_MS = 3_600_000;

/**
 * Returns the wait after the given number of attempts, in milliseconds: 1 s, doubling up to half an hour, with a jitter
 * of 20% so that the emails of a burst are not retried together.
 */
export const retryDelay = (attempts: number, random: () => number = Math.random): number =>
  backoffMs(attempts, { minMs: 1000, maxMs: HOUR_MS / 2, jitter: 0.2, random });

/**
 * The number of attempts whose waits add up to 24 hours. The limit is not the email's age, because a queue that stood
 * still all day must not fail its emails.
 */
export const MAX_ATTEMPTS = (() => {
  let attempts = 1;
  for (let waitedMs = 0; waitedMs < 24 * HOUR_MS; attempts++) waitedMs += retryDelay(attempts, () => 0.5);
  return attempts;
})();
