/** The rules of a workflow's graph (contract, section 7), and what a deletion with splice makes of it. Pure. */
import type { StepType } from '../../generated/prisma/enums.js';
import { badRequest } from '../../errors.js';

export interface GraphStep {
  id: string;
  type: StepType;
  name: string;
  /** The branches that its transitions may have; null is one without (see branchesOf). */
  branches: ReadonlyArray<string | null>;
}

export interface GraphEdge {
  fromStepId: string;
  toStepId: string;
  branch: string | null;
}

export interface Graph<Edge extends GraphEdge = GraphEdge> {
  steps: readonly GraphStep[];
  /** In the order of their priority. */
  edges: readonly Edge[];
}

/**
 * Checks a whole graph as it would be after an edit: the same rules for every edit, because many can break them (a
 * transition, a splice, a condition with other branches).
 *
 * Every edge must lead from one of the steps to one of them.
 *
 * @throws BAD_REQUEST (400) that says which rule is broken, and where
 */
export function checkGraph({ steps, edges }: Graph): void {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const taken = new Set<string>();
  for (const edge of edges) {
    const [from, to] = [byId.get(edge.fromStepId), byId.get(edge.toStepId)];
    if (!from || !to) throw new Error('A transition has a step that is not in its workflow');
    checkEdge(from, to, edge.branch);
    const way = JSON.stringify([from.id, wayOf(from, edge.branch)]);
    if (taken.has(way))
      throw badRequest(
        `The step ${quoted(from)} has a transition ${onBranch(edge.branch)} already. Delete that one first.`,
      );
    taken.add(way);
  }
  const loop = findLoop(steps, edges);
  if (loop)
    throw badRequest(
      `The steps ${loop.map(quoted).join(' → ')} would go round in a circle without a pause. A loop must lead through a DELAY or a WAIT_FOR_EVENT.`,
    );
}

function checkEdge(from: GraphStep, to: GraphStep, branch: string | null): void {
  if (from.id === to.id) throw badRequest(`A transition can't lead from the step ${quoted(from)} to itself.`);
  if (to.type === 'TRIGGER')
    throw badRequest('No transition can lead into the TRIGGER: it is where a workflow begins.');
  if (from.type === 'EXIT') throw badRequest('No transition can lead out of an EXIT: it is where an execution ends.');
  if (from.branches.includes(branch)) return;
  const allowed = from.branches.map((name) => (name === null ? 'none' : JSON.stringify(name))).join(', ');
  throw badRequest(`The step ${quoted(from)} has no transition ${onBranch(branch)}; its branches are: ${allowed}.`);
}

/** Without a branch, a WAIT_FOR_EVENT goes on with its event. */
const wayOf = (from: GraphStep, branch: string | null): string | null =>
  from.type === 'WAIT_FOR_EVENT' && branch === 'event' ? null : branch;

const quoted = ({ name }: GraphStep): string => JSON.stringify(name);
const onBranch = (branch: string | null): string =>
  branch === null ? 'without a branch' : `on the branch ${JSON.stringify(branch)}`;

const PAUSES: readonly StepType[] = ['DELAY', 'WAIT_FOR_EVENT'];

/** The steps of a loop in which nothing pauses, the first one again at the end; null when there is none. */
function findLoop(steps: readonly GraphStep[], edges: readonly GraphEdge[]): GraphStep[] | null {
  const instant = new Map(steps.filter(({ type }) => !PAUSES.includes(type)).map((step) => [step.id, step]));
  const next = new Map<string, GraphStep[]>();
  for (const { fromStepId, toStepId } of edges) {
    const to = instant.get(toStepId);
    if (to) next.set(fromStepId, [...(next.get(fromStepId) ?? []), to]);
  }
  // Depth first, without recursion: a graph may be a long chain.
  const seen = new Map<string, 'on the path' | 'done'>();
  for (const start of instant.values()) {
    const path = seen.has(start.id) ? [] : [start];
    for (let step = path.at(-1); step; step = path.at(-1)) {
      seen.set(step.id, 'on the path');
      const to = next.get(step.id)?.pop();
      if (!to) {
        seen.set(step.id, 'done');
        path.pop();
      } else if (seen.get(to.id) === 'on the path') {
        return [...path.slice(path.indexOf(to)), to];
      } else if (!seen.has(to.id)) {
        path.push(to);
      }
    }
  }
  return null;
}

export interface Splice<Edge extends GraphEdge> {
  /** Where the predecessors' transitions lead now; null when the step had no successor, and its transitions just go. */
  successorId: string | null;
  graph: Graph<Edge>;
}

/**
 * Takes a step out of a graph and leads its predecessors, on the branches that they had, to its successor. Of several
 * successors it is the one on the usual way: without a branch or on `event`, before `timeout` and `error`.
 *
 * @throws BAD_REQUEST (400) for a CONDITION and the TRIGGER, and when the result breaks a rule
 */
export function spliceOut<Edge extends GraphEdge>({ steps, edges }: Graph<Edge>, step: GraphStep): Splice<Edge> {
  if (step.type === 'CONDITION')
    throw badRequest(
      "A CONDITION has several ways out, so its predecessors can't be joined to one successor. Delete it without splice.",
    );
  const outgoing = edges.filter(({ fromStepId }) => fromStepId === step.id);
  const successorId = (outgoing.find(({ branch }) => wayOf(step, branch) === null) ?? outgoing[0])?.toStepId ?? null;
  const remaining = without({ steps, edges }, step);
  if (successorId === null) return { successorId, graph: remaining };
  const joined = edges
    .filter(({ toStepId, fromStepId }) => toStepId === step.id && fromStepId !== step.id)
    .map((edge) => ({ ...edge, toStepId: successorId }));
  const graph = { steps: remaining.steps, edges: [...remaining.edges, ...joined] };
  checkGraph(graph);
  return { successorId, graph };
}

/** The graph without a step and its edges. */
const without = <Edge extends GraphEdge>({ steps, edges }: Graph<Edge>, { id }: GraphStep): Graph<Edge> => ({
  steps: steps.filter((step) => step.id !== id),
  edges: edges.filter(({ fromStepId, toStepId }) => fromStepId !== id && toStepId !== id),
});
