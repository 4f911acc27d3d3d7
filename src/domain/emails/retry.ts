/**
 * When an email that was not taken is tried again (contract, section 4: "retried with backoff for up to 24 h").
 */

const HOUR = 3_600_000;
const FIRST = 1000;
const LONGEST = HOUR / 2;

/**
 * The wait after the given number of attempts, in milliseconds: 1 s doubling up to half an hour, spread by a fifth so
 * that a burst doesn't return as one.
 */
export function retryDelay(attempts: number, random: () => number = Math.random): number {
  const delay = Math.min(FIRST * 2 ** (attempts - 1), LONGEST);
  return Math.round(delay * (0.8 + 0.4 * random()));
}

/**
 * Attempts whose waits together make 24 hours. Counted in attempts and not in the email's age: a queue that stood still
 * all day is no reason to give up.
 */
export const MAX_ATTEMPTS = (() => {
  let attempts = 1;
  for (let waited = 0; waited < 24 * HOUR; attempts++) waited += retryDelay(attempts, () => 0.5);
  return attempts;
})();
