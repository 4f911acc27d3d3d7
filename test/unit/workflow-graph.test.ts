import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/errors.js';
import { checkGraph, spliceOut, type Graph, type GraphEdge, type GraphStep } from '../../src/domain/workflows/graph.js';
import type { StepType } from '../../src/generated/prisma/enums.js';

const BRANCHES: Partial<Record<StepType, Array<string | null>>> = {
  CONDITION: ['yes', 'no'],
  WAIT_FOR_EVENT: [null, 'event', 'timeout'],
  WEBHOOK: [null, 'error'],
  EXIT: [],
};
const TYPES: Record<string, StepType> = {
  t: 'TRIGGER',
  s: 'SEND_EMAIL',
  d: 'DELAY',
  w: 'WAIT_FOR_EVENT',
  c: 'CONDITION',
  h: 'WEBHOOK',
  u: 'UPDATE_CONTACT',
  x: 'EXIT',
};

/** `s1` is a SEND_EMAIL step. */
function step(id: string): GraphStep {
  const type = TYPES[id.charAt(0)];
  if (!type) throw new Error(`No type begins with ${id}`);
  return { id, type, name: id, branches: BRANCHES[type] ?? [null] };
}

/** `t1 s1, c1 s2 yes` describes two edges. The graph has the steps that they name. */
function graph(text: string, ...more: string[]): Graph {
  const edges = text
    .split(', ')
    .filter(Boolean)
    .map((edge): GraphEdge => {
      const [fromStepId = '', toStepId = '', branch = null] = edge.split(' ');
      return { fromStepId, toStepId, branch };
    });
  const ids = new Set([...edges.flatMap(({ fromStepId, toStepId }) => [fromStepId, toStepId]), ...more]);
  return { steps: [...ids].map(step), edges };
}

const lines = ({ edges }: Graph): string[] =>
  edges.map(({ fromStepId, toStepId, branch }) => [fromStepId, toStepId, branch ?? ''].join(' ').trim());

function refusal(check: () => void): string {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.status, error.code]).toEqual([400, 'BAD_REQUEST']);
    return error.message;
  }
  return 'none';
}

describe('the rules of a graph', () => {
  test.each([
    ['a chain', 't1 s1, s1 d1, d1 x1'],
    ['two branches of a condition that join', 't1 c1, c1 s1 yes, c1 u1 no, s1 x1, u1 x1'],
    ['both branches of a condition to one step', 't1 c1, c1 s1 yes, c1 s1 no'],
    ['event and timeout', 'w1 s1 event, w1 x1 timeout'],
    ['no branch and timeout', 'w1 s1, w1 x1 timeout'],
    ['no branch and error', 'h1 s1, h1 x1 error'],
    ['a loop through a delay', 't1 s1, s1 d1, d1 s1'],
    ['a loop through a wait', 't1 c1, c1 w1 no, w1 c1 timeout, c1 x1 yes'],
    ['a loop of two delays', 'd1 d2, d2 d1'],
    ['steps without transitions', ''],
  ])('allow %s', (_, edges) => {
    expect(refusal(() => checkGraph(graph(edges, 's9')))).toBe('none');
  });

  test.each([
    ['an edge into the TRIGGER', 's1 t1', 'A transition cannot lead to the TRIGGER'],
    ['an edge out of an EXIT', 'x1 s1', 'A transition cannot lead from an EXIT'],
    ['a self-loop', 's1 s1', 'from the step "s1" to itself'],
    ['a self-loop of a delay', 'd1 d1', 'from the step "d1" to itself'],
    ['two unconditional edges', 's1 s2, s1 s3', 'already has a transition without a branch'],
    ['two unconditional edges to one step', 's1 s2, s1 s2', 'already has a transition without a branch'],
    ['two edges for one branch', 'c1 s1 yes, c1 s2 yes', 'already has a transition on the branch "yes"'],
    ['event and no branch of a wait', 'w1 s1 event, w1 s2', 'already'],
    ['no branch and event of a wait', 'w1 s1, w1 s2 event', 'already'],
    ['a condition without a branch', 'c1 s1', 'Its branches are: "yes", "no"'],
    ['a branch that a condition does not have', 'c1 s1 maybe', 'cannot have a transition on the branch "maybe"'],
    ['a branch of a step without branches', 's1 s2 yes', 'Its branches are: none'],
    ['a loop', 't1 s1, s1 u1, u1 s1', '"s1" → "u1" → "s1"'],
    ['a loop through a webhook', 's1 h1, h1 s1 error', 'without a pause'],
    ['a loop that nothing leads to', 't1 x1, c1 c2 yes, c2 c1 no', 'without a pause'],
    ['a loop next to one that pauses', 's1 d1, d1 s1, c1 u1 yes, u1 c1', '"c1"'],
    ['one of two loops through a step', 't1 c1, c1 d1 yes, d1 c1, c1 u1 no, u1 c1', 'without a pause'],
  ])('reject %s', (_, edges, message) => {
    expect(refusal(() => checkGraph(graph(edges)))).toContain(message);
  });

  test('allow a chain of 5,000 steps, and reject a loop at its end', () => {
    const ids = Array.from({ length: 5000 }, (_, n) => `s${n}`);
    const chain = ids
      .slice(1)
      .map((id, n) => `s${n} ${id}`)
      .join(', ');
    expect(refusal(() => checkGraph(graph(chain)))).toBe('none');
    expect(refusal(() => checkGraph(graph(`${chain}, s4999 s4998`)))).toContain('"s4998" → "s4999" → "s4998"');
  });

  test('visit each step once, regardless of the number of paths through it', () => {
    // 2^40 paths.
    const edges = Array.from({ length: 40 }, (_, n) => `c${n} c${n + 1} yes, c${n} c${n + 1} no`).join(', ');
    expect(refusal(() => checkGraph(graph(edges)))).toBe('none');
  });
});

describe('a splice', () => {
  test.each([
    ['joins the predecessor to the successor', 't1 s1, s1 s2, s2 x1', 's1', ['s2 x1', 't1 s2']],
    [
      'joins all predecessors and keeps their branches',
      'c1 s1 yes, c1 s1 no, h1 s1 error, s1 x1',
      's1',
      ['c1 x1 yes', 'c1 x1 no', 'h1 x1 error'],
    ],
    ['of a step without a successor leaves no transition', 't1 s1', 's1', []],
    ['of a step without a predecessor keeps the other transitions', 's1 s2, s2 x1', 's1', ['s2 x1']],
    ['of a wait follows the branch of the event', 't1 w1, w1 s1 timeout, w1 s2 event', 'w1', ['t1 s2']],
    ['of a wait follows the transition without a branch', 't1 w1, w1 s1 timeout, w1 s2', 'w1', ['t1 s2']],
    ['of a wait with only a timeout follows the timeout', 't1 w1, w1 s1 timeout', 'w1', ['t1 s1']],
    ['of a webhook follows the transition without an error', 't1 h1, h1 s1 error, h1 s2', 'h1', ['t1 s2']],
    ['of an EXIT only removes it', 't1 s1, s1 x1', 'x1', ['t1 s1']],
  ])('%s', (_, edges, id, expected) => {
    const splice = spliceOut(graph(edges), step(id));
    expect(lines(splice.graph)).toEqual(expected);
    expect(splice.graph.steps.some((one) => one.id === id)).toBe(false);
  });

  test.each([
    ['a CONDITION', 't1 c1, c1 s1 yes', 'c1', 'A CONDITION has several branches'],
    ['the pause of a loop', 's1 d1, d1 u1, u1 s1', 'd1', 'without a pause'],
    ['the only step between a delay and itself', 'd1 s1, s1 d1', 's1', 'to itself'],
  ])('of %s is rejected', (_, edges, id, message) => {
    expect(refusal(() => spliceOut(graph(edges), step(id)))).toContain(message);
  });
});
