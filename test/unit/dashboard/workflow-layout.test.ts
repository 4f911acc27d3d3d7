import { expect, test } from 'vitest';
import { layOut, NODE_HEIGHT } from '../../../packages/dashboard/src/features/graph/layout.js';
import { inOrder } from '../../../packages/dashboard/src/features/graph/order.js';

const edge = (fromStepId: string, toStepId: string) => ({ id: `${fromStepId} ${toStepId}`, fromStepId, toStepId });
const step = (id: string, type = 'DELAY') => ({ id, type });

test('a step is below the steps that lead to it, and the branches of a condition are next to each other', () => {
  const { places } = layOut(
    ['start', 'yes', 'no', 'end'],
    [edge('start', 'yes'), edge('start', 'no'), edge('yes', 'end'), edge('no', 'end')],
  );
  const y = (id: string): number => places.get(id)?.y ?? Number.NaN;
  expect(y('yes')).toBeGreaterThanOrEqual(y('start') + NODE_HEIGHT);
  expect(y('no')).toBe(y('yes'));
  expect(y('end')).toBeGreaterThanOrEqual(y('yes') + NODE_HEIGHT);
  expect(places.get('yes')?.x).not.toBe(places.get('no')?.x);
});

test('no two of 100 steps are at the same place', () => {
  const ids = Array.from({ length: 100 }, (_, index) => `step ${index}`);
  const edges = ids.slice(1).map((id, index) => edge(`step ${Math.floor(index / 2)}`, id));
  const places = [...layOut(ids, edges).places.values()].map(({ x, y }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(100);
});

test('the list shows a branch to its end before the next branch, and unreachable steps last', () => {
  const steps = [step('lost'), step('b'), step('a'), step('a2'), step('start', 'TRIGGER')];
  const edges = [edge('start', 'a'), edge('start', 'b'), edge('a', 'a2'), edge('a2', 'a')];
  expect(inOrder(steps, edges).map(({ id }) => id)).toEqual(['start', 'a', 'a2', 'b', 'lost']);
});
