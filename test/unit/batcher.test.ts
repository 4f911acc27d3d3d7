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

test('calls that come one after the other do not wait', async () => {
  const { batches, call } = record({ ms: 10, enough: 3 });
  for (const item of ['a', 'b', 'c']) {
    call(item);
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(batches).toEqual([
    { at: 0, items: ['a'] },
    { at: 1, items: ['b'] },
    { at: 2, items: ['c'] },
  ]);
});

test('calls soon after a batch of several form one together', async () => {
  const { batches, call } = record({ ms: 10, enough: 3 });
  for (const item of ['a', 'b']) call(item);
  for (const item of ['c', 'd']) {
    await vi.advanceTimersByTimeAsync(2);
    call(item);
  }
  await vi.advanceTimersByTimeAsync(100);
  expect(batches).toEqual([
    { at: 0, items: ['a', 'b'] },
    { at: 10, items: ['c', 'd'] },
  ]);
});

test('enough calls do not wait', async () => {
  const { batches, call } = record({ ms: 10, enough: 3 });
  for (const item of ['a', 'b']) call(item);
  await vi.advanceTimersByTimeAsync(2);
  for (const item of ['c', 'd', 'e']) call(item);
  await vi.advanceTimersByTimeAsync(0);
  expect(batches[1]).toEqual({ at: 2, items: ['c', 'd', 'e'] });
});

test('calls during a batch that takes longer begin with its end', async () => {
  const { batches, call } = record({ ms: 10, enough: 3 }, { ms: 30 });
  for (const item of ['a', 'b']) call(item);
  await vi.advanceTimersByTimeAsync(5);
  call('c');
  await vi.advanceTimersByTimeAsync(100);
  expect(batches[1]).toEqual({ at: 30, items: ['c'] });
});
