/**
 * How many executions a worker begins at once: as many as come to their first pause, or to their end, within a quarter
 * of a second.
 *
 * Temporal takes starts faster than workers get through them. What is started beyond that waits there, first come first
 * served: pokes, and everybody else's starts, behind all of one project's.
 */

/** From a start to the end of its first `advance`, in milliseconds: half of them shall be faster. */
const GOAL = 250;
/** Longer than this no place is held: another worker may have got it, of which nothing is heard here. */
const PATIENCE = 1000;
/** Within this time it is heard of those that are slow. */
const MEMORY = 30_000;
const [FEWEST, FIRST, MOST] = [8, 16, 100];

export interface Pace {
  /** Starts under way at most. */
  limit: () => number;
  /**
   * An execution is being started. @returns when it has been through its first `advance` here, at the latest after a
   * second
   */
  begin: (executionId: string) => Promise<void>;
  /** The first `advance` of an execution is over, or is not to be waited for. */
  begun: (executionId: string) => void;
}

export function createPace(): Pace {
  const waiting = new Map<string, () => void>();
  let limit = FIRST;
  /** By one for as many as there may be at once. */
  const learn = (fast: boolean): void => {
    limit = Math.min(MOST, Math.max(FEWEST, limit + (fast ? 1 : -1) / limit));
  };
  return {
    limit: () => Math.floor(limit),
    begin(executionId) {
      const at = performance.now();
      return new Promise((resolve) => {
        const forget = (): void => {
          if (waiting.get(executionId) === end) waiting.delete(executionId);
        };
        const memory = setTimeout(forget, MEMORY).unref();
        const patience = setTimeout(resolve, PATIENCE);
        const end = (): void => {
          clearTimeout(memory);
          clearTimeout(patience);
          forget();
          learn(performance.now() - at < GOAL);
          resolve();
        };
        waiting.set(executionId, end);
      });
    },
    begun: (executionId) => waiting.get(executionId)?.(),
  };
}
