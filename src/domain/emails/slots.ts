/**
 * The transport's connections, shared by everything in a worker that sends. A slot is held from the claim until the result is recorded, so
 * that there are never more emails with an unknown outcome than connections.
 */
export interface Slots {
  /** Takes up to `want` free slots; those above `reserve` only. */
  take: (want: number, reserve: number) => number;
  release: (count: number) => void;
  /** Resolves when a slot was released, or at once when one above `reserve` is free. */
  free: (reserve: number) => Promise<void>;
}

export function createSlots(total: number): Slots {
  let available = total;
  let waiting: Array<() => void> = [];
  return {
    take(want, reserve) {
      const count = Math.max(0, Math.min(want, available - reserve));
      available -= count;
      return count;
    },
    release(count) {
      if (count === 0) return;
      available += count;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    free: (reserve) => (available > reserve ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
