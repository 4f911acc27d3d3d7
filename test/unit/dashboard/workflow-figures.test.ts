import { expect, test } from 'vitest';
import { createFigures, sharesOf } from '../../../packages/dashboard/src/features/graph/figures.js';
import { lastVisits, passedTransitions } from '../../../packages/dashboard/src/features/workflows/execution/path.js';

const figures = (entered: number, waiting = 0) => ({ waiting, entered, completed: entered, skipped: 0, failed: 0 });
const transition = (id: string, fromStepId: string, toStepId: string, branch: string | null = null) => ({
  id,
  fromStepId,
  toStepId,
  branch,
});
const visit = (stepId: string, branch?: string) => ({ stepId, output: branch === undefined ? null : { branch } });

test('a share is the part of the executions at a step that took the transition', () => {
  const shares = sharesOf(
    {
      steps: { plan: figures(8), late: figures(1), new: figures(0) },
      transitions: { yes: { passed: 2 }, no: { passed: 4 }, after: { passed: 3 } },
    },
    [
      transition('yes', 'plan', 'a'),
      transition('no', 'plan', 'b'),
      transition('after', 'late', 'a'),
      transition('never', 'new', 'a'),
    ],
  );
  // Two executions are still at the step.
  expect(shares.get('yes')).toEqual({ passed: 2, share: 0.25 });
  expect(shares.get('no')).toEqual({ passed: 4, share: 0.5 });
  // Two executions had entered the step before the period.
  expect(shares.get('after')).toEqual({ passed: 3, share: 1 });
  expect(shares.get('never')).toEqual({ passed: 0, share: null });
});

test('a changed number changes the figures of its step only', () => {
  const store = createFigures();
  store.set({ steps: { a: figures(1), b: figures(1) }, transitions: {} }, []);
  const [a, b] = [store.step('a'), store.step('b')];
  let reports = 0;
  const stop = store.subscribe(() => (reports += 1));
  expect(store.setWaiting({ a: { waiting: 3 }, b: { waiting: 0 } })).toBe(true);
  expect(store.step('a')).toMatchObject({ waiting: 3, entered: 1 });
  expect(store.step('a')).not.toBe(a);
  expect(store.step('b')).toBe(b);
  expect(store.setWaiting({ a: { waiting: 3 } })).toBe(false);
  stop();
  store.setWaiting({ a: { waiting: 4 } });
  expect(reports).toBe(1);
});

test('the numbers of the stream are kept when older figures arrive after them', () => {
  const store = createFigures();
  expect(store.setWaiting({ a: { waiting: 2 } })).toBe(false);
  store.set({ steps: { a: figures(5, 1), b: figures(5, 4) }, transitions: {} }, []);
  expect(store.step('a')).toMatchObject({ waiting: 2, entered: 5 });
  expect(store.step('b')).toMatchObject({ waiting: 4 });
});

test('the path takes the transition of the branch that the step decided on', () => {
  const transitions = [
    transition('in', 'start', 'plan'),
    transition('yes', 'plan', 'end', 'yes'),
    transition('no', 'plan', 'end', 'no'),
  ];
  expect([...passedTransitions([visit('start'), visit('plan', 'no'), visit('end')], transitions)]).toEqual([
    'in',
    'no',
  ]);
});

test('the path includes loops, and leaves out transitions that no longer exist', () => {
  const transitions = [transition('out', 'a', 'b'), transition('back', 'b', 'a', 'timeout')];
  const history = [visit('deleted'), visit('a'), visit('b', 'timeout'), visit('a'), visit('b')];
  expect([...passedTransitions(history, transitions)]).toEqual(['out', 'back']);
  expect(lastVisits(history).get('b')).toEqual(visit('b'));
});
