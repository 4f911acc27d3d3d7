/** Results that are shared while they are under way, and kept for a while. */

export interface RememberOptions<T> {
  /** Results beyond this number push out the oldest. */
  max: number;
  /** Milliseconds that a result may be given out again; 0 for not at all. */
  keepMs: (result: T) => number;
}

/**
 * `load` with a memory: calls with one key share a load that is under way, and its result while it is kept. A load that
 * fails is forgotten.
 */
export function remember<T>(
  load: (key: string) => Promise<T>,
  { max, keepMs }: RememberOptions<T>,
): (key: string) => Promise<T> {
  const entries = new Map<string, { result: Promise<T>; until: number }>();

  return (key) => {
    const found = entries.get(key);
    if (found && found.until > Date.now()) return found.result;
    const entry = { result: load(key), until: Infinity };
    // Deleted first, because a Map keeps the place of a key that it has.
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= max) break;
      entries.delete(oldest);
    }
    const settle = (until: number): void => {
      entry.until = until;
      if (until <= Date.now() && entries.get(key) === entry) entries.delete(key);
    };
    entry.result.then(
      (result) => settle(Date.now() + keepMs(result)),
      () => settle(0),
    );
    return entry.result;
  };
}
