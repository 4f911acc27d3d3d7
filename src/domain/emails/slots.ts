/**
 * The transport's connections, shared by all senders of a worker. A slot is held from the claim until the result is
 * recorded, so there are never more emails with an unknown outcome than connections.
 */

/** One sender's share of the slots. */
export interface Seat {
  /** The number of slots that this sender may hold: an equal share of those above its reserve. */
  share: () => number;
  /** Takes up to `want` free slots, within the share. */
  take: (want: number) => number;
  /** After a statement that recorded `ended` and requested `claims` emails: keeps `got` slots, releases the others. */
  settle: (ended: number, claims: number, got: number) => void;
  /** Resolves when this sender can take a slot. */
  free: () => Promise<void>;
  /** Ends the share and releases its slots. */
  leave: () => void;
}

export interface Slots {
  /** @param reserve the number of slots that stay free for other senders */
  join: (reserve: number) => Seat;
}

export function createSlots(total: number): Slots {
  let available = total;
  let waiting: Array<() => void> = [];
  // Senders with the same reserve share the slots above it.
  const seats = new Map<number, number>();

  const release = (count: number): void => {
    available += count;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };

  return {
    join(reserve) {
      seats.set(reserve, (seats.get(reserve) ?? 0) + 1);
      let held = 0;
      const share = (): number => Math.max(1, Math.floor((total - reserve) / (seats.get(reserve) ?? 1)));
      const room = (): number => Math.max(0, Math.min(available - reserve, share() - held));
      return {
        share,
        take(want) {
          const count = Math.min(want, room());
          available -= count;
          held += count;
          return count;
        },
        settle(ended, claims, got) {
          // `claims` includes the reused slots of `ended` and the additional ones.
          const holding = Math.max(ended, claims);
          const freed = holding - got;
          held -= freed;
          if (freed > 0) release(freed);
        },
        free: () => (room() > 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
        leave() {
          seats.set(reserve, (seats.get(reserve) ?? 1) - 1);
          release(held);
          held = 0;
        },
      };
    },
  };
}
