/** A signal for any number of waiters, for example between two turns of a loop. */
export interface Pulse {
  /** Resolves at the next `fire`, or after `ms` milliseconds. */
  wait: (ms?: number) => Promise<void>;
  /** Ends the current waits, if there are any. */
  fire: () => void;
}

export function createPulse(): Pulse {
  const waiting = new Set<() => void>();
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          waiting.delete(end);
          resolve();
        };
        const timer = ms === undefined ? undefined : setTimeout(end, ms);
        waiting.add(end);
      }),
    fire() {
      for (const end of waiting) end();
    },
  };
}
