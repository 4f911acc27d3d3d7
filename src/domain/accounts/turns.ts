/** Work that waits for its turn, in this process. */

/**
 * Makes a function that runs at most `max` works of one key at the same time, the others in the order in which they
 * came.
 *
 * It is for work that is dear: who asks for a thousand at once waits for it, and others don't wait for them.
 */
export function createTurns(max: number): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, { active: number; waiting: Array<() => void> }>();
  return async (key, work) => {
    const line = lines.get(key) ?? { active: 0, waiting: [] };
    lines.set(key, line);
    if (line.active < max) line.active++;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next one takes the place over, so that nobody who has just come gets in between.
      const next = line.waiting.shift();
      if (next) next();
      else if (--line.active === 0) lines.delete(key);
    }
  };
}
