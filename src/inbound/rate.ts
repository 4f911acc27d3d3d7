/** How much of something may come within a time, for each key. In this process: it bounds work, not a right. */

export interface Rate {
  /** Counts one; false when there were too many already. */
  take: (key: string) => boolean;
}

const MOST_KEYS = 10_000;

/** Fixed windows that begin with the first of a key. */
export function createRate({ most, withinMs }: { most: number; withinMs: number }): Rate {
  const windows = new Map<string, { count: number; until: number }>();
  return {
    take(key) {
      const now = Date.now();
      const known = windows.get(key);
      if (known && known.until > now) {
        known.count += 1;
        return known.count <= most;
      }
      if (windows.size >= MOST_KEYS)
        for (const [old, { until }] of windows) if (until <= now || windows.size >= MOST_KEYS) windows.delete(old);
      windows.set(key, { count: 1, until: now + withinMs });
      return true;
    },
  };
}
