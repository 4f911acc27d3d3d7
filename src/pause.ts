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
