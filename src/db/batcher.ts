/**
 * Combines concurrent calls into one statement: calls that come while a batch runs wait and form the next batch. Under
 * load, a call costs a row instead of a round trip; a single call costs the same as without batching.
 */
export interface BatcherOptions<I, O> {
  /** Returns the results in the order of the items. */
  run: (items: I[]) => Promise<O[]>;
  /** Maximum number of items per batch. */
  max: number;
  /** Maximum number of concurrent batches. */
  parallel: number;
}

export function createBatcher<I, O>({ run, max, parallel }: BatcherOptions<I, O>): (item: I) => Promise<O> {
  let waiting: Array<{ item: I; resolve: (value: O) => void; reject: (error: unknown) => void }> = [];
  let running = 0;
  const flush = async (): Promise<void> => {
    running++;
    const batch = waiting.slice(0, max);
    waiting = waiting.slice(max);
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined) reject(new Error('A batch returned fewer results than items.'));
        else resolve(result);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    running--;
    if (waiting.length > 0 && running < parallel) void flush();
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // In the next turn of the event loop, so that all calls of this turn share a batch.
      if (waiting.length === 1) setImmediate(() => running < parallel && waiting.length > 0 && void flush());
    });
}
