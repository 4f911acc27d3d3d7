/** A wait that can be ended early, for example between two turns of a loop. */
export interface Pause {
  /** Resolves after `ms` milliseconds, or at the next `end`. */
  wait: (ms: number) => Promise<void>;
  /** Ends the current wait, if there is one. */
  end: () => void;
}

export function createPause(): Pause {
  let end: () => void = () => undefined;
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: () => end(),
  };
}

/** A signal for any number of waiters. */
export interface Pulse {
  /** Resolves at the next `fire`, or after `ms` milliseconds. */
  wait: (ms?: number) => Promise<void>;
  fire: () => void;
}

export function createPulse(): Pulse {
  let waiting: Array<() => void> = [];
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
    fire() {
      if (waiting.length === 0) return;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
  };
}
