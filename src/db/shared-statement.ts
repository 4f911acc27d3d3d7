/**
 * Requests that come at the same time share one statement and one flush: alone a request costs what it did, in a crowd
 * a fraction of it.
 */
import { createBatcher } from './batcher.js';
import { isDatabaseUnavailable } from './pool.js';

/** What an item has to itself within a statement: a contact, an idempotency key. */
export interface Claim {
  /** Unique among all projects. */
  name: string;
  /**
   * What happens to it; '' when nothing does. Items that do the same to it, or nothing, may share it: done once is done
   * for all of them. undefined: shared with nobody.
   */
  change?: string;
}

export interface SharedStatementOptions<I, O> {
  /** Items of one statement at most. */
  max: number;
  /** Statements under way at once. */
  parallel: number;
  claimsOf: (item: I) => Claim[];
  /** One statement for all items; answers in their order. */
  run: (items: I[]) => Promise<O[]>;
}

type Outcome<O> = { result: O } | { error: unknown };

/**
 * @returns a function that runs one item, together with those that others ask for meanwhile; it rejects with what the
 * item's own statement throws
 */
export function createSharedStatement<I extends object, O>({
  max,
  parallel,
  claimsOf,
  run,
}: SharedStatementOptions<I, O>): (item: I) => Promise<O> {
  /** One that the database refuses must not take the others with it: then each goes by itself. */
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
      const { round, later } = withoutTwins(left, claimsOf);
      const results = await runRound(round);
      round.forEach((item, index) =>
        outcomes.set(
          item,
          results[index] ?? { error: new Error('A statement answered fewer items than it was asked') },
        ),
      );
      left = later;
    }
    return items.map((item) => outcomes.get(item) ?? { error: new Error('An item was forgotten') });
  };

  const together = createBatcher({ max, parallel, run: runAll });
  return async (item) => {
    const outcome = await together(item);
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  };
}

/**
 * Two items that do different things to one contact, or have one idempotency key, have an order: the second goes into
 * the next statement.
 */
function withoutTwins<I>(items: I[], claimsOf: (item: I) => Claim[]): { round: I[]; later: I[] } {
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
      // Whoever comes behind one that waits, waits too.
      if (!fits) taken.set(name, undefined);
      else if (!taken.has(name)) taken.set(name, change);
    }
  }
  return { round, later };
}
