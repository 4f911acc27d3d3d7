/** Limits concurrent work in this process. */
import pLimit, { type LimitFunction } from 'p-limit';

/**
 * Returns a function that runs at most `concurrency` calls per key at a time. The other calls of the key wait in FIFO
 * order and do not delay other keys.
 */
export function createKeyedLimit(concurrency: number): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const entries = new Map<string, { limit: LimitFunction; calls: number }>();
  return async (key, work) => {
    const entry = entries.get(key) ?? { limit: pLimit(concurrency), calls: 0 };
    entries.set(key, entry);
    entry.calls++;
    try {
      return await entry.limit(work);
    } finally {
      if (--entry.calls === 0) entries.delete(key);
    }
  };
}
