import { expect, test } from 'vitest';
import { NODE_HEIGHT, NODE_WIDTH, savedPlaces } from '../../../packages/dashboard/src/features/graph/geometry.js';
import { layOut } from '../../../packages/dashboard/src/features/graph/layout.js';
import { inOrder } from '../../../packages/dashboard/src/features/graph/order.js';
import { keepEqualNodes, toNodes } from '../../../packages/dashboard/src/features/graph/parts.js';
import { isWholeIn, viewportAround, viewportFor } from '../../../packages/dashboard/src/features/graph/viewport.js';

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

test('the first branch of a condition is at the left, and a long transition leads around the steps in between', () => {
  const edges = [
    { ...edge('start', 'yes'), branch: 'yes' },
    { ...edge('yes', 'more'), branch: null },
    { ...edge('more', 'end'), branch: null },
    { ...edge('start', 'end'), branch: 'no' },
  ];
  const { places, routes } = layOut(['start', 'yes', 'more', 'end'], edges);
  const route = routes.get('start end') ?? [];
  const { x = 0, y = 0 } = places.get('more') ?? {};
  const beside = route.filter((point) => point.y >= y && point.y <= y + NODE_HEIGHT);
  expect(beside.length).toBeGreaterThan(0);
  expect(beside.filter((point) => point.x > x && point.x < x + NODE_WIDTH)).toEqual([]);

  const both = layOut(['start', 'no', 'yes'], [edge('start', 'yes'), edge('start', 'no')]).places;
  expect(both.get('yes')?.x).toBeLessThan(both.get('no')?.x ?? 0);
});

test('saved places are kept, unless two steps have the same', () => {
  const at = (id: string, x: number) => ({ id, position: { x, y: 0 } });
  expect(savedPlaces([at('a', 10), at('b', 20)])?.get('b')).toEqual({ x: 20, y: 0 });
  expect(savedPlaces([at('a', 0), at('b', 0)])).toBeNull();
});

test('a changed step is rendered, and the others keep their objects', () => {
  const shown = (name: string, selectedId: string | null = null) => ({
    steps: [
      { id: 'a', type: 'TRIGGER' as const, name: 'Start' },
      { id: 'b', type: 'EXIT' as const, name },
    ],
    transitions: [{ ...edge('a', 'b'), branch: null }],
    layout: layOut(['a', 'b'], [edge('a', 'b')]),
    selectedId,
    path: undefined,
  });
  const before = toNodes(shown('End'));
  const renamed = keepEqualNodes(before, toNodes(shown('Stop')));
  expect(renamed[0]).toBe(before[0]);
  expect(renamed[1]?.data.step.name).toBe('Stop');
  const selected = keepEqualNodes(renamed, toNodes(shown('Stop', 'a')));
  expect(selected[0]?.data.isSelected).toBe(true);
  expect(selected[1]).toBe(renamed[1]);
});

test('a small graph is shown whole, and of a large one the part around a step', () => {
  const window = { width: 800, height: 600 };
  const small = new Map([['a', { x: 0, y: 0 }]]);
  expect(viewportFor(small, window, 'a')).toEqual({
    x: (800 - NODE_WIDTH) / 2,
    y: (600 - NODE_HEIGHT) / 2,
    zoom: 1,
  });
  const large = new Map([
    ['a', { x: 0, y: 0 }],
    ['b', { x: 9000, y: 9000 }],
  ]);
  const { x, y, zoom } = viewportFor(large, window, 'b');
  expect(zoom).toBeGreaterThanOrEqual(0.6);
  expect((9000 + NODE_WIDTH / 2) * zoom + x).toBeCloseTo(400);
  expect((9000 + NODE_HEIGHT / 2) * zoom + y).toBeCloseTo(300);
  expect(isWholeIn(viewportFor(small, window, 'a'), window, small)).toBe(true);
  expect(isWholeIn({ x, y, zoom }, window, large)).toBe(false);
});

test('a step that is selected is moved out from below the buttons at the right', () => {
  const viewport = { x: 0, y: 0, zoom: 1 };
  const window = { width: 800, height: 600 };
  expect(viewportAround(viewport, window, { x: 100, y: 100 })).toBe(viewport);
  expect(viewportAround(viewport, window, { x: 800 - NODE_WIDTH, y: 100 }).x).toBe(-72);
});
