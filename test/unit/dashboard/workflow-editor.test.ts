import { describe, expect, test } from 'vitest';
import { layOut } from '../../../packages/dashboard/src/features/graph/layout.js';
import {
  change,
  connect,
  copyOf,
  insert,
  newStep,
  remove,
  targetOf,
  toBody,
  withIds,
  type DraftStep,
  type Graph,
} from '../../../packages/dashboard/src/features/workflows/editor/graph.js';
import {
  begin,
  edit,
  redo,
  undo,
  withSavedIds,
} from '../../../packages/dashboard/src/features/workflows/editor/history.js';
import type { StepType } from '../../../packages/dashboard/src/features/workflows/editor/kinds.js';
import { outlineOf, type OutlineList } from '../../../packages/dashboard/src/features/workflows/editor/outline.js';
import { isPlaced, move, placeBelow } from '../../../packages/dashboard/src/features/workflows/editor/places.js';

const at = { x: 0, y: 0 };
const step = (type: StepType, key: string): DraftStep => ({ ...newStep(type, key, key), position: at });
const edgesOf = ({ edges }: Graph): string[] =>
  edges.map(({ from, to, branch }) => `${from}${branch === null ? '' : ` (${branch})`} > ${to}`).toSorted();

/** trigger > decide, yes: email > end, no: end */
const decision = (): Graph => ({
  steps: [step('TRIGGER', 'trigger'), step('CONDITION', 'decide'), step('SEND_EMAIL', 'email'), step('EXIT', 'end')],
  edges: [
    { from: 'trigger', to: 'decide', branch: null },
    { from: 'decide', to: 'email', branch: 'yes' },
    { from: 'decide', to: 'end', branch: 'no' },
    { from: 'email', to: 'end', branch: null },
  ],
});

/** Where the canvas shows the steps of `decision`. */
const PLACES = layOut(
  decision().steps.map(({ key }) => key),
  decision().edges.map(({ from, to, branch }) => ({ id: `${from} ${branch}`, fromStepId: from, toStepId: to, branch })),
).places;

describe('the graph of the editor', () => {
  test('a step that is inserted leads on its first outlet to what followed', () => {
    const graph = insert(decision(), step('WEBHOOK', 'call'), { from: 'decide', branch: 'yes' });
    expect(edgesOf(graph)).toEqual([
      'call > email',
      'decide (no) > end',
      'decide (yes) > call',
      'email > end',
      'trigger > decide',
    ]);
  });

  test('an EXIT that is inserted leads nowhere', () => {
    const graph = insert(decision(), step('EXIT', 'stop'), { from: 'trigger', branch: null });
    expect(edgesOf(graph)).toEqual(['decide (no) > end', 'decide (yes) > email', 'email > end', 'trigger > stop']);
  });

  test('a removed step leaves the connection on its first outlet, and the TRIGGER stays', () => {
    expect(edgesOf(remove(decision(), 'decide'))).toEqual(['email > end', 'trigger > email']);
    expect(edgesOf(remove(decision(), 'end'))).toEqual(['decide (yes) > email', 'trigger > decide']);
    expect(remove(decision(), 'trigger')).toEqual(decision());
  });

  test('a removed step never makes another one lead to itself', () => {
    const loop: Graph = {
      steps: [step('TRIGGER', 'trigger'), step('DELAY', 'wait'), step('SEND_EMAIL', 'email')],
      edges: [
        { from: 'trigger', to: 'wait', branch: null },
        { from: 'wait', to: 'email', branch: null },
        { from: 'email', to: 'wait', branch: null },
      ],
    };
    expect(edgesOf(remove(loop, 'email'))).toEqual(['trigger > wait']);
  });

  test('a connection replaces the one that its outlet had', () => {
    expect(
      targetOf(connect(decision(), { from: 'decide', branch: 'no' }, 'email'), { from: 'decide', branch: 'no' }),
    ).toBe('email');
    expect(edgesOf(connect(decision(), { from: 'decide', branch: 'no' }, null))).not.toContain('decide (no) > end');
  });

  test('in a WAIT_FOR_EVENT, a transition on event is the one without a branch', () => {
    const graph: Graph = {
      steps: [step('TRIGGER', 'trigger'), step('WAIT_FOR_EVENT', 'wait'), step('EXIT', 'end')],
      edges: [{ from: 'wait', to: 'end', branch: 'event' }],
    };
    expect(targetOf(graph, { from: 'wait', branch: null })).toBe('end');
    expect(edgesOf(connect(graph, { from: 'wait', branch: null }, null))).toEqual([]);
  });

  test('a condition with other branches loses the transitions on those that it had', () => {
    const config = { mode: 'multi', field: 'data.plan', branches: [{ id: 'pro', name: 'Pro', operator: 'equals' }] };
    const graph = connect(change(decision(), 'decide', { config }), { from: 'decide', branch: 'pro' }, 'email');
    expect(edgesOf(graph)).toEqual(['decide (pro) > email', 'email > end', 'trigger > decide']);
  });

  test('new steps are saved with keys, and get the ids of the answer', () => {
    const graph = insert(decision(), step('DELAY', 'new-1'), { from: 'trigger', branch: null });
    const body = toBody(graph, new Set(['trigger', 'decide', 'email', 'end']));
    expect(body.steps.map(({ id, key }) => id ?? `new: ${key}`)).toEqual([
      'trigger',
      'decide',
      'email',
      'end',
      'new: new-1',
    ]);
    expect(edgesOf(withIds(graph, { 'new-1': 'id-1' }))).toContain('trigger > id-1');
  });

  test('a copy has a config of its own', () => {
    const original = { ...step('UPDATE_CONTACT', 'update'), config: { updates: { plan: 'pro' } } };
    const copied = copyOf(original, 'new', 'Copy');
    expect(copied.config).toEqual(original.config);
    expect(copied.config.updates).not.toBe(original.config.updates);
  });
});

describe('the history of the editor', () => {
  const named = (name: string): Graph => change(decision(), 'email', { name });
  const nameIn = ({ present }: { present: Graph }): string | undefined =>
    present.steps.find(({ key }) => key === 'email')?.name;

  test('typing in one field is one step', () => {
    const typed = ['W', 'We', 'Wel'].reduce((history, name) => edit(history, named(name), 'name'), begin(decision()));
    expect(nameIn(typed)).toBe('Wel');
    expect(nameIn(undo(typed))).toBe('email');
    expect(nameIn(redo(undo(typed)))).toBe('Wel');
  });

  test('an edit after an undo ends what could be redone', () => {
    const history = edit(undo(edit(begin(decision()), named('One'))), named('Two'));
    expect(nameIn(redo(history))).toBe('Two');
    expect(nameIn(undo(history))).toBe('email');
  });

  test('without anything to undo or redo, it stays', () => {
    const history = begin(decision());
    expect(undo(history)).toBe(history);
    expect(redo(history)).toBe(history);
  });

  test('ids replace keys in all versions', () => {
    const added = insert(decision(), step('DELAY', 'new-1'), { from: 'trigger', branch: null });
    const history = withSavedIds(undo(edit(begin(decision()), added)), { 'new-1': 'id-1' });
    expect(edgesOf(redo(history).present)).toContain('trigger > id-1');
  });
});

describe('the outline of a graph', () => {
  const say = ({ steps, end }: OutlineList): unknown[] => [
    ...steps.map(({ step: { key }, branches }) =>
      branches.length === 0
        ? key
        : { [key]: Object.fromEntries(branches.map(({ outlet, list }) => [outlet.branch, say(list)])) },
    ),
    ...(end ? [end.to ? `continues at ${end.to.key}` : 'ends'] : []),
  ];

  test('has each step once, and says where a list continues at another place', () => {
    expect(say(outlineOf(decision()).list)).toEqual([
      'trigger',
      { decide: { yes: ['email', 'end'], no: ['continues at end'] } },
    ]);
  });

  test('names steps that no execution reaches, a chain as one list', () => {
    const { list, unreachable } = outlineOf(connect(decision(), { from: 'trigger', branch: null }, null));
    expect(say(list)).toEqual(['trigger', 'ends']);
    expect(unreachable.map(say)).toEqual([[{ decide: { yes: ['email', 'end'], no: ['continues at end'] } }]]);
  });

  test('a loop continues at its first step', () => {
    const loop: Graph = {
      steps: [step('TRIGGER', 'trigger'), step('DELAY', 'wait'), step('SEND_EMAIL', 'email')],
      edges: [
        { from: 'trigger', to: 'wait', branch: null },
        { from: 'wait', to: 'email', branch: null },
        { from: 'email', to: 'wait', branch: null },
      ],
    };
    expect(say(outlineOf(loop).list)).toEqual(['trigger', 'wait', 'email', 'continues at wait']);
  });
});

describe('the places of steps', () => {
  test('the first step that is moved gives all others the places of the layout', () => {
    expect(isPlaced(decision())).toBe(false);
    const moved = move(decision(), 'end', { x: 500, y: 900 }, PLACES);
    expect(isPlaced(moved)).toBe(true);
    expect(moved.steps.find(({ key }) => key === 'end')?.position).toEqual({ x: 500, y: 900 });
  });

  test('a new step has no place before that, and a free one below its predecessor after it', () => {
    const outlet = { from: 'decide', branch: 'yes' };
    expect(placeBelow(decision(), newStep('DELAY', 'new', 'new'), outlet).placed.position).toEqual(at);
    const moved = move(decision(), 'end', { x: 0, y: 2000 }, PLACES);
    const { graph, placed } = placeBelow(moved, newStep('DELAY', 'new', 'new'), outlet);
    for (const { position } of graph.steps)
      expect(Math.abs(position.x - placed.position.x) >= 240 || Math.abs(position.y - placed.position.y) >= 96).toBe(
        true,
      );
  });
});
