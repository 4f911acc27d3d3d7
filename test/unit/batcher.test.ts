/** Batches of concurrent calls (src/db/batcher.ts). */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBatcher } from '../../src/db/batcher.js';

const TIME = ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...TIME] }));
afterEach(() => void vi.useRealTimers());

/** A batcher whose batches end after `ms`, with the batches that have begun, and when. */
function record(spacing: { ms: number; enough: number }, { ms = 0 } = {}) {
  const batches: Array<{ at: number; items: string[] }> = [];
  const start = performance.now();
  const call = createBatcher<string, string>({
    max: 100,
    parallel: 1,
    spacing,
    async run(items) {
      batches.push({ at: performance.now() - start, items });
      await new Promise((resolve) => setTimeout(resolve, ms));
      return items;
    },
  });
  return { batches, call: (item: string) => void call(item) };
}

test('a call without recent ones does not wait', async () => {
  const { batches, call } = record({ ms: 10, enough: 3 });
  call('a');
  await vi.advanceTimersByTimeAsync(0);
  expect(batches).toEqual([{ at: 0, items: ['a'] }]);
  await vi.advanceTimersByTimeAsync(10);
  call('b');
  await vi.advanceTimersByTimeAsync(0);
  expect(batches[1]).toEqual({ at: 10, items: ['b'] });
});

test('calls soon after a batch form one together', async () => {
  const { batches, call } = record({ ms: 10, enough: 3 });
  call('a');
  await vi.advanceTimersByTimeAsync(2);
  call('b');
  await vi.advanceTimersByTimeAsync(2);
  call('c');
  await vi.advanceTimersByTimeAsync(100);
  expect(batches.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
  expect(batches[1]?.at).toBe(10);
});

test('enough calls do not wait', async () => {
  const { batches, call } = record({ ms: 10, enough: 3 });
  call('a');
  await vi.advanceTimersByTimeAsync(2);
  for (const item of ['b', 'c', 'd']) call(item);
  await vi.advanceTimersByTimeAsync(0);
  expect(batches[1]).toEqual({ at: 2, items: ['b', 'c', 'd'] });
});

test('calls during a batch that takes longer begin with its end', async () => {
  const { batches, call } = record({ ms: 10, enough: 3 }, { ms: 30 });
  call('a');
  await vi.advanceTimersByTimeAsync(5);
  call('b');
  await vi.advanceTimersByTimeAsync(100);
  expect(batches[1]).toEqual({ at: 30, items: ['b'] });
});
