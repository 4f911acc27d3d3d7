/** The loops of workers and of the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startLoop, type Loop, type LoopOptions } from '../../src/loop.js';
import { eventually } from '../helpers/eventually.js';

const DAY = 86_400_000;

let loop: Loop | undefined;
afterEach(() => loop?.stop());

/** A loop that counts its looks. */
function looking(
  look: (number: number, signal: AbortSignal) => Promise<number | undefined>,
  options: Partial<LoopOptions> = {},
) {
  const seen = { looks: 0, failures: [] as unknown[] };
  loop = startLoop({
    everyMs: DAY,
    look: (signal) => look(++seen.looks, signal),
    failed: (error) => seen.failures.push(error),
    ...options,
  });
  return { seen, loop };
}

describe('a loop', () => {
  test('looks at once, and again after its time', async () => {
    const { seen } = looking(async () => undefined, { everyMs: 5 });
    expect(seen.looks).toBe(1);
    await eventually(async () => expect(seen.looks).toBeGreaterThan(3), { every: 5 });
  });

  test('looks again when it is said, or at once', async () => {
    const { seen } = looking(async (number) => [0, 0, 5][number - 1]);
    await eventually(async () => expect(seen.looks).toBe(4), { every: 5 });
    await sleep(50);
    expect(seen.looks).toBe(4);
  });

  test('looks at once when it is woken, and once more for all that wake it while it looks', async () => {
    let go: () => void = () => undefined;
    const { seen, loop: woken } = looking(async (number) => {
      if (number === 2) await new Promise<void>((resolve) => (go = resolve));
      return undefined;
    });
    await sleep(20);
    expect(seen.looks).toBe(1);
    woken.wake();
    await eventually(async () => expect(seen.looks).toBe(2), { every: 5 });
    woken.wake();
    woken.wake();
    go();
    await eventually(async () => expect(seen.looks).toBe(3), { every: 5 });
    await sleep(50);
    expect(seen.looks).toBe(3);
  });

  test('goes on after a look that failed, with the error told', async () => {
    const { seen } = looking(
      async (number) => {
        if (number === 1) throw new Error('Away');
        return undefined;
      },
      { everyMs: 5 },
    );
    await eventually(async () => expect(seen.looks).toBeGreaterThan(1), { every: 5 });
    expect(seen.failures).toEqual([new Error('Away')]);
  });

  test('is stopped when the look that is under way has ended, which is told of it, and looks no more', async () => {
    let ended = false;
    const { seen, loop: stopping } = looking(async (_number, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await sleep(20);
      ended = true;
      return 0;
    });
    await stopping.stop();
    expect([seen.looks, ended]).toEqual([1, true]);
    stopping.wake();
    await sleep(20);
    expect(seen.looks).toBe(1);
  });
});
