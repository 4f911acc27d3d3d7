/** Waiting for a fact, never for a time. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** Milliseconds after which the last failure is thrown; default 30 seconds. */
  within?: number;
  /** Milliseconds between two looks; default 50. */
  every?: number;
}

/**
 * Repeats `look` until it neither throws nor rejects.
 *
 * @returns what `look` returns at last
 * @throws what the last look threw
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  { within = 30_000, every = 50 }: Patience = {},
): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await sleep(every);
  }
}
