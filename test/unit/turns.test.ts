import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from '../../src/domain/accounts/turns.js';

/** Works that end when they are told to; `begun` has their names in the order in which they began. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, (error) => (error ? reject(error) : resolve(name)));
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await tick();
  };
  return { begun, work, end };
}

test('at most so many works of a key run at once, the others in the order in which they came, and other keys do not wait', async () => {
  const { begun, work, end } = works();
  const turns = createTurns(2);
  const results = ['a', 'b', 'c', 'd'].map((name) => turns('key', work(name)));
  const other = turns('another', work('x'));
  expect(begun).toEqual(['a', 'b', 'x']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'x', 'c']);
  for (const name of ['a', 'c', 'd', 'x']) await end(name);
  expect(begun).toEqual(['a', 'b', 'x', 'c', 'd']);
  expect(await Promise.all([...results, other])).toEqual(['a', 'b', 'c', 'd', 'x']);
});

test('a work that fails gives its place on', async () => {
  const { begun, work, end } = works();
  const turns = createTurns(1);
  const failing = turns('key', work('a'));
  const next = turns('key', work('b'));
  const failed = expect(failing).rejects.toThrow('no');
  await end('a', new Error('no'));
  await failed;
  await end('b');
  expect(await next).toBe('b');
  const later = turns('key', work('c'));
  await end('c');
  expect([await later, begun]).toEqual(['c', ['a', 'b', 'c']]);
});
