/** Waits for a fact, never for a time. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  /** Timeout in milliseconds; default 60 seconds, for a loaded machine. */
  within?: number;
  /** Milliseconds between two attempts; default 50. */
  every?: number;
}

/**
 * Repeats `check` until it neither throws nor rejects.
 *
 * @returns the result of the last attempt
 * @throws the error of the last attempt, after the timeout
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { within = 60_000, every = 50 }: WaitOptions = {},
): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await sleep(every);
  }
}
