/** Waiting that can be cut short: how a loop sleeps between two looks at its queue. */
export interface Pause {
  /** Resolves after `ms` milliseconds, or at the next `end`. */
  wait: (ms: number) => Promise<void>;
  /** Ends the wait that is under way; without one it does nothing. */
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
