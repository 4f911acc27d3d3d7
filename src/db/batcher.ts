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
  /**
   * After a batch of several items, the next one begins when `ms` have passed or `enough` items wait. At a few hundred calls per
   * second, most of their cost is that of statements, and of switches between processes. Calls that come one after the other do not wait.
   */
  spacing?: { ms: number; enough: number };
}

export function createBatcher<I, O>(options: BatcherOptions<I, O>): (item: I) => Promise<O> {
  const { run, max, parallel, spacing = { ms: 0, enough: max } } = options;
  let waiting: Array<{ item: I; resolve: (value: O) => void; reject: (error: unknown) => void }> = [];
  let running = 0;
  /** When the next batch may begin, by `performance.now()`. */
  let nextAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    running++;
    const batch = waiting.slice(0, max);
    if (batch.length > 1) nextAt = performance.now() + spacing.ms;
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
    flushIfDue();
  };
  const flushIfDue = (): void => {
    clearTimeout(timer);
    if (waiting.length === 0 || running >= parallel) return;
    const leftMs = nextAt - performance.now();
    if (leftMs <= 0 || waiting.length >= spacing.enough) void flush();
    else timer = setTimeout(flushIfDue, leftMs);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // In the next turn of the event loop, so that all calls of this turn share a batch.
      if (waiting.length === 1 || waiting.length === spacing.enough) setImmediate(flushIfDue);
    });
}
