/** The number of executions that a worker starts concurrently. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPace, type Pace } from '../../src/domain/executions/pace.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** In each round, begins as many executions as the limit allows, and ends their first pause after `ms`. */
async function run(pace: Pace, ms: number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const ids = Array.from({ length: pace.limit() }, (_, n) => `${round}-${n}`);
    const through = Promise.all(ids.map((id) => pace.begin(id)));
    await vi.advanceTimersByTimeAsync(ms);
    for (const id of ids) pace.begun(id);
    await through;
  }
}

describe('the limit of concurrent starts', () => {
  test('grows up to a hundred while starts take less than a quarter of a second', async () => {
    const pace = createPace();
    const before = pace.limit();
    await run(pace, 200, 2);
    expect(pace.limit()).toBe(before + 1);
    await run(pace, 200, 200);
    expect(pace.limit()).toBe(100);
  });

  test('shrinks while starts take longer, but stays above zero', async () => {
    const pace = createPace();
    await run(pace, 300, 100);
    expect(pace.limit()).toBe(8);
    await run(pace, 100, 30);
    expect(pace.limit()).toBeGreaterThan(30);
  });
});

test('an execution that another worker begins uses a slot for a second and does not change the limit', async () => {
  const pace = createPace();
  const before = pace.limit();
  const places = Array.from({ length: before }, (_, n) => pace.begin(`elsewhere ${n}`));
  let through = false;
  const all = Promise.all(places).then(() => {
    through = true;
  });
  await vi.advanceTimersByTimeAsync(990);
  expect(through).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  await all;
  await vi.advanceTimersByTimeAsync(60_000);
  for (let n = 0; n < before; n++) pace.begun(`elsewhere ${n}`);
  pace.begun('unknown');
  expect(pace.limit()).toBe(before);
});

test('an execution of this worker that takes longer than a second reduces the limit', async () => {
  const pace = createPace();
  const before = pace.limit();
  const places = Array.from({ length: before }, (_, n) => pace.begin(`slow ${n}`));
  await vi.advanceTimersByTimeAsync(5000);
  for (let n = 0; n < before; n++) pace.begun(`slow ${n}`);
  await Promise.all(places);
  expect(pace.limit()).toBe(before - 2);
});
