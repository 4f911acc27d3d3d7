/**
 * Folds concurrent calls into one statement: while a batch is under way, what is asked for next waits and goes
 * together. Under load a request costs a row instead of a round trip; alone it costs what it did.
 */
export interface BatcherOptions<I, O> {
  /** Answers in the order of the items. */
  run: (items: I[]) => Promise<O[]>;
  /** Items of one batch at most. */
  max: number;
  /** Batches under way at once. */
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
        if (result === undefined) reject(new Error('A batch answered fewer items than it was asked'));
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
      // In the next turn, so that all requests of this one go together.
      if (waiting.length === 1) setImmediate(() => running < parallel && waiting.length > 0 && void flush());
    });
}
