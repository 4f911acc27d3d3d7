/**
 * Lets concurrent requests share one statement and so one flush of the write-ahead log. dataloader has no conflicts
 * between items and no fallback to single items. Measured with bench/send: 5,600–13,000 requests/s instead of 4,400.
 */
import { createBatcher } from './batcher.js';
import { isDatabaseUnavailable } from './errors.js';

/** Something that an item needs exclusively within a statement: a contact or an idempotency key. */
export interface Claim {
  /** Unique among all projects. */
  name: string;
  /**
   * The change that the item makes to it; '' for none. Items with equal changes, or none, can share it. undefined: not
   * shared.
   */
  change?: string;
}

export interface SharedStatementOptions<I, O> {
  /** Maximum number of items per statement. */
  max: number;
  /** Maximum number of concurrent statements. */
  parallel: number;
  claimsOf: (item: I) => Claim[];
  /** Runs one statement for all items, and returns the results in their order. */
  run: (items: I[]) => Promise<O[]>;
}

type Outcome<O> = { result: O } | { error: unknown };

/**
 * @returns a function that runs one item, together with items of concurrent calls; it rejects with the error of the
 *   item's own statement
 */
export function createSharedStatement<I extends object, O>({
  max,
  parallel,
  claimsOf,
  run,
}: SharedStatementOptions<I, O>): (item: I) => Promise<O> {
  /** If the database rejects a shared statement, runs each item alone, so that one bad item fails only itself. */
  const runRound = async (items: I[]): Promise<Array<Outcome<O>>> => {
    try {
      return (await run(items)).map((result) => ({ result }));
    } catch (error) {
      if (items.length === 1 || isDatabaseUnavailable(error)) return items.map(() => ({ error }));
      const outcomes: Array<Outcome<O>> = [];
      for (const item of items) outcomes.push(...(await runRound([item])));
      return outcomes;
    }
  };

  const runAll = async (items: I[]): Promise<Array<Outcome<O>>> => {
    const outcomes = new Map<I, Outcome<O>>();
    for (let left = items; left.length > 0;) {
      const { round, later } = splitConflicts(left, claimsOf);
      const results = await runRound(round);
      round.forEach((item, index) =>
        outcomes.set(item, results[index] ?? { error: new Error('A statement returned fewer results than items.') }),
      );
      left = later;
    }
    return items.map((item) => outcomes.get(item) ?? { error: new Error('An item has no outcome.') });
  };

  const runInBatch = createBatcher({ max, parallel, run: runAll });
  return async (item) => {
    const outcome = await runInBatch(item);
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  };
}

/**
 * Splits off the items for a later statement: those that conflict with an earlier item, by another change to one
 * contact or by the same idempotency key.
 */
function splitConflicts<I>(items: I[], claimsOf: (item: I) => Claim[]): { round: I[]; later: I[] } {
  const taken = new Map<string, string | undefined>();
  const round: I[] = [];
  const later: I[] = [];
  for (const item of items) {
    const claims = claimsOf(item);
    const fits = claims.every(
      ({ name, change }) =>
        !taken.has(name) ||
        (change !== undefined && taken.get(name) !== undefined && (change === '' || change === taken.get(name))),
    );
    (fits ? round : later).push(item);
    for (const { name, change } of claims) {
      // Keep the order: a later item that needs the same also waits.
      if (!fits) taken.set(name, undefined);
      else if (!taken.has(name)) taken.set(name, change);
    }
  }
  return { round, later };
}
