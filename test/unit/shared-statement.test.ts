import { expect, test } from 'vitest';
import { createSharedStatement, type Claim } from '../../src/db/shared-statement.js';

interface Item {
  n: number;
  claims: Claim[];
}

/** Runs items concurrently. @returns the numbers of each statement's items */
async function statementsOf(
  claims: Claim[][],
  { refused = [] as number[] } = {},
): Promise<{ statements: number[][]; outcomes: Array<number | string> }> {
  const statements: number[][] = [];
  const run = createSharedStatement<Item, number>({
    max: 100,
    parallel: 1,
    claimsOf: (item) => item.claims,
    async run(items) {
      statements.push(items.map(({ n }) => n));
      const bad = items.find(({ n }) => refused.includes(n));
      if (bad) throw new Error(`refused ${bad.n}`);
      return items.map(({ n }) => n);
    },
  });
  const outcomes = await Promise.all(
    claims.map((each, n) => run({ n, claims: each }).catch((error: Error) => error.message)),
  );
  return { statements, outcomes };
}

test('items without common claims share one statement', async () => {
  expect(await statementsOf([[{ name: 'a' }], [{ name: 'b', change: 'x' }], []])).toEqual({
    statements: [[0, 1, 2]],
    outcomes: [0, 1, 2],
  });
});

test('two items that claim the same name with unknown changes run one after the other', async () => {
  expect((await statementsOf([[{ name: 'a' }], [{ name: 'a' }], [{ name: 'a' }], [{ name: 'b' }]])).statements).toEqual(
    [[0, 3], [1], [2]],
  );
});

test('items with the same change to a name share a statement; another change waits, with all later items', async () => {
  const claim = (change: string): Claim[] => [{ name: 'a', change }];
  expect(
    (await statementsOf([claim('x'), claim('x'), claim(''), claim('y'), claim('x'), claim('')])).statements,
  ).toEqual([[0, 1, 2], [3], [4, 5]]);
});

test('an item with a change does not join items without one: the first item decides', async () => {
  expect((await statementsOf([[{ name: 'a', change: '' }], [{ name: 'a', change: 'x' }]])).statements).toEqual([
    [0],
    [1],
  ]);
});

test('an item waits if one of its two names is claimed, and its other claim makes later items wait', async () => {
  expect((await statementsOf([[{ name: 'a' }], [{ name: 'a' }, { name: 'k' }], [{ name: 'k' }]])).statements).toEqual([
    [0],
    [1],
    [2],
  ]);
});

test('a rejected item does not fail the others: each is retried by itself', async () => {
  expect(await statementsOf([[], [], []], { refused: [1] })).toEqual({
    statements: [[0, 1, 2], [0], [1], [2]],
    outcomes: [0, 'refused 1', 2],
  });
});
