import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createKeyedLimit } from '../../src/keyed-limit.js';

/** Tasks that end when the test ends them; `started` has their names in the order of their start. */
function createTasks() {
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const task = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      started.push(name);
      ends.set(name, (error) => (error ? reject(error) : resolve(name)));
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await tick();
  };
  return { started, task, end };
}

test('limits the concurrent tasks of a key, in FIFO order, and does not delay other keys', async () => {
  const { started, task, end } = createTasks();
  const limit = createKeyedLimit(2);
  const results = ['a', 'b', 'c', 'd'].map((name) => limit('key', task(name)));
  const other = limit('another', task('x'));
  await tick();
  expect(started).toEqual(['a', 'b', 'x']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'x', 'c']);
  for (const name of ['a', 'c', 'd', 'x']) await end(name);
  expect(started).toEqual(['a', 'b', 'x', 'c', 'd']);
  expect(await Promise.all([...results, other])).toEqual(['a', 'b', 'c', 'd', 'x']);
});

test('starts the next task after one that fails', async () => {
  const { started, task, end } = createTasks();
  const limit = createKeyedLimit(1);
  const failing = expect(limit('key', task('a'))).rejects.toThrow('no');
  const next = limit('key', task('b'));
  await tick();
  await end('a', new Error('no'));
  await failing;
  await end('b');
  expect(await next).toBe('b');
  const later = limit('key', task('c'));
  await tick();
  await end('c');
  expect([await later, started]).toEqual(['c', ['a', 'b', 'c']]);
});
