/** The background loops of the worker and the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startLoop, type Loop, type LoopOptions } from '../../src/loop.js';
import { eventually } from '../helpers/eventually.js';

const DAY_MS = 86_400_000;

let loop: Loop | undefined;
afterEach(() => loop?.stop());

/** Starts a loop that counts its turns. */
function startCountedLoop(
  runTurn: (number: number, signal: AbortSignal) => Promise<number | undefined>,
  options: Partial<LoopOptions> = {},
) {
  const seen = { turns: 0, failures: [] as unknown[] };
  loop = startLoop({
    everyMs: DAY_MS,
    runTurn: (signal) => runTurn(++seen.turns, signal),
    failed: (error) => seen.failures.push(error),
    ...options,
  });
  return { seen, loop };
}

describe('a loop', () => {
  test('runs a turn immediately, and again after its interval', async () => {
    const { seen } = startCountedLoop(async () => undefined, { everyMs: 5 });
    expect(seen.turns).toBe(1);
    await eventually(async () => expect(seen.turns).toBeGreaterThan(3), { every: 5 });
  });

  test('waits as long as a turn returns, and not at all after 0', async () => {
    const { seen } = startCountedLoop(async (number) => [0, 0, 5][number - 1]);
    await eventually(async () => expect(seen.turns).toBe(4), { every: 5 });
    await sleep(50);
    expect(seen.turns).toBe(4);
  });

  test('runs a turn when it is woken, and one more turn for all wake-ups during a turn', async () => {
    let go: () => void = () => undefined;
    const { seen, loop: woken } = startCountedLoop(async (number) => {
      if (number === 2) await new Promise<void>((resolve) => (go = resolve));
      return undefined;
    });
    await sleep(20);
    expect(seen.turns).toBe(1);
    woken.wake();
    await eventually(async () => expect(seen.turns).toBe(2), { every: 5 });
    woken.wake();
    woken.wake();
    go();
    await eventually(async () => expect(seen.turns).toBe(3), { every: 5 });
    await sleep(50);
    expect(seen.turns).toBe(3);
  });

  test('continues after a failed turn and reports its error', async () => {
    const { seen } = startCountedLoop(
      async (number) => {
        if (number === 1) throw new Error('Away');
        return undefined;
      },
      { everyMs: 5 },
    );
    await eventually(async () => expect(seen.turns).toBeGreaterThan(1), { every: 5 });
    expect(seen.failures).toEqual([new Error('Away')]);
  });

  test('aborts the current turn when it is stopped, waits for its end, and runs no more turns', async () => {
    let ended = false;
    const { seen, loop: stopping } = startCountedLoop(async (_number, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await sleep(20);
      ended = true;
      return 0;
    });
    await stopping.stop();
    expect([seen.turns, ended]).toEqual([1, true]);
    stopping.wake();
    await sleep(20);
    expect(seen.turns).toBe(1);
  });
});
