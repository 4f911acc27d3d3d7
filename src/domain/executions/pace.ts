/**
 * Limits how many executions a worker starts concurrently, so that the median execution reaches its first pause, or its
 * end, within TARGET_FIRST_PAUSE_MS.
 *
 * Temporal accepts starts faster than workers run them. Excess starts would queue there in the order of arrival, and
 * pokes and other projects' starts would wait for all of one project's starts.
 */

/** The target for the median time from a start to the end of its first `advance`. */
const TARGET_FIRST_PAUSE_MS = 250;
/** Releases a place after this time, because another worker may run the execution. */
const FIRST_PAUSE_TIMEOUT_MS = 1000;
/** A slower first pause still lowers the limit if it is reached within this time. */
const SAMPLING_WINDOW_MS = 30_000;
const MIN_STARTS = 8;
const INITIAL_STARTS = 16;
const MAX_STARTS = 100;

export interface Pace {
  /** The maximum number of concurrent starts. */
  limit: () => number;
  /** Registers a start. @returns a promise that resolves after the first `advance`, or after one second */
  begin: (executionId: string) => Promise<void>;
  /** Reports that the first `advance` of an execution is over, or will not happen. */
  begun: (executionId: string) => void;
}

export function createPace(): Pace {
  const waiting = new Map<string, () => void>();
  let limit = INITIAL_STARTS;
  /** Moves the limit by one after as many samples as there are concurrent starts. */
  const adjustLimit = (fast: boolean): void => {
    limit = Math.min(MAX_STARTS, Math.max(MIN_STARTS, limit + (fast ? 1 : -1) / limit));
  };
  return {
    limit: () => Math.floor(limit),
    begin(executionId) {
      const startedAt = performance.now();
      return new Promise((resolve) => {
        const forget = (): void => {
          if (waiting.get(executionId) === end) waiting.delete(executionId);
        };
        const samplingTimer = setTimeout(forget, SAMPLING_WINDOW_MS).unref();
        const pauseTimer = setTimeout(resolve, FIRST_PAUSE_TIMEOUT_MS);
        const end = (): void => {
          clearTimeout(samplingTimer);
          clearTimeout(pauseTimer);
          forget();
          adjustLimit(performance.now() - startedAt < TARGET_FIRST_PAUSE_MS);
          resolve();
        };
        waiting.set(executionId, end);
      });
    },
    begun: (executionId) => waiting.get(executionId)?.(),
  };
}
