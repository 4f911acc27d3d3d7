/** Checks the rules of a workflow's graph (contract, section 7), and removes a step with splice. Pure. */
import type { StepType } from '../../generated/prisma/enums.js';
import { badRequest } from '../../errors.js';

export interface GraphStep {
  id: string;
  type: StepType;
  name: string;
  /** The branches that its transitions can have; null is a transition without a branch (see branchesOf). */
  branches: ReadonlyArray<string | null>;
}

export interface GraphEdge {
  fromStepId: string;
  toStepId: string;
  branch: string | null;
}

export interface Graph<Edge extends GraphEdge = GraphEdge> {
  steps: readonly GraphStep[];
  /** Sorted by priority. */
  edges: readonly Edge[];
}

export interface GraphProblem {
  code: 'invalid_transition' | 'repeated_branch' | 'loop_without_pause';
  message: string;
  /** The index of the transition; null for a loop. */
  edge: number | null;
  /** The step that the transition leaves, or the first step of the loop. */
  stepId: string;
}

/** Returns the broken rules. Both ends of every edge must be in `steps`. */
export function findGraphProblems({ steps, edges }: Graph): GraphProblem[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const usedOutcomes = new Set<string>();
  const problems: GraphProblem[] = [];
  for (const [index, edge] of edges.entries()) {
    const [from, to] = [byId.get(edge.fromStepId), byId.get(edge.toStepId)];
    if (!from || !to) throw new Error('A transition has a step that is not in its workflow');
    const invalid = findEdgeProblem(from, to, edge.branch);
    if (invalid !== null) problems.push({ code: 'invalid_transition', message: invalid, edge: index, stepId: from.id });
    const outcome = JSON.stringify([from.id, outcomeOf(from, edge.branch)]);
    if (usedOutcomes.has(outcome))
      problems.push({
        code: 'repeated_branch',
        message: `The step ${quoted(from)} already has a transition ${onBranch(edge.branch)}. Delete it first.`,
        edge: index,
        stepId: from.id,
      });
    usedOutcomes.add(outcome);
  }
  const loop = findLoop(steps, edges);
  if (loop?.[0])
    problems.push({
      code: 'loop_without_pause',
      message:
        `The steps ${loop.map(quoted).join(' → ')} would form a loop without a pause. ` +
        'A loop must contain a DELAY or a WAIT_FOR_EVENT.',
      edge: null,
      stepId: loop[0].id,
    });
  return problems;
}

/**
 * Checks the graph as it would be after an edit. Every edit uses this check, because several kinds can break a rule: a
 * new transition, a splice, or a condition with other branches.
 *
 * Both ends of every edge must be in `steps`.
 *
 * @throws BAD_REQUEST (400) that names the broken rule and its place
 */
export function checkGraph(graph: Graph): void {
  const [problem] = findGraphProblems(graph);
  if (problem) throw badRequest(problem.message);
}

function findEdgeProblem(from: GraphStep, to: GraphStep, branch: string | null): string | null {
  if (from.id === to.id) return `A transition cannot lead from the step ${quoted(from)} to itself.`;
  if (to.type === 'TRIGGER') return 'A transition cannot lead to the TRIGGER, because it is the first step.';
  if (from.type === 'EXIT') return 'A transition cannot lead from an EXIT, because it ends the execution.';
  if (from.branches.includes(branch)) return null;
  const allowed = from.branches.map((name) => (name === null ? 'none' : JSON.stringify(name))).join(', ');
  return `The step ${quoted(from)} cannot have a transition ${onBranch(branch)}. Its branches are: ${allowed}.`;
}

/** In a WAIT_FOR_EVENT, a transition without a branch means the same as `event`. */
const outcomeOf = (from: GraphStep, branch: string | null): string | null =>
  from.type === 'WAIT_FOR_EVENT' && branch === 'event' ? null : branch;

const quoted = ({ name }: GraphStep): string => JSON.stringify(name);
const onBranch = (branch: string | null): string =>
  branch === null ? 'without a branch' : `on the branch ${JSON.stringify(branch)}`;

const PAUSES: readonly StepType[] = ['DELAY', 'WAIT_FOR_EVENT'];

/** Returns the steps of a loop without a pause, with the first step repeated at the end; null if there is none. */
function findLoop(steps: readonly GraphStep[], edges: readonly GraphEdge[]): GraphStep[] | null {
  const instant = new Map(steps.filter(({ type }) => !PAUSES.includes(type)).map((step) => [step.id, step]));
  const next = new Map<string, GraphStep[]>();
  for (const { fromStepId, toStepId } of edges) {
    const to = instant.get(toStepId);
    if (to) next.set(fromStepId, [...(next.get(fromStepId) ?? []), to]);
  }
  // Depth-first without recursion, because a graph can be a long chain.
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
  /** The new target of the predecessors' transitions; null if the step had no successor, and they are deleted. */
  successorId: string | null;
  graph: Graph<Edge>;
}

/**
 * Removes a step and connects its predecessors, on their branches, to its successor. Of several successors, the one
 * without a branch or on `event` comes before those on `timeout` and `error`.
 *
 * @throws BAD_REQUEST (400) for a CONDITION, and if the result breaks a rule
 */
export function spliceOut<Edge extends GraphEdge>({ steps, edges }: Graph<Edge>, step: GraphStep): Splice<Edge> {
  if (step.type === 'CONDITION')
    throw badRequest('A CONDITION has several branches, so it has no single successor. Delete it without splice.');
  const outgoing = edges.filter(({ fromStepId }) => fromStepId === step.id);
  const successorId =
    (outgoing.find(({ branch }) => outcomeOf(step, branch) === null) ?? outgoing[0])?.toStepId ?? null;
  const remaining = removeStep({ steps, edges }, step);
  if (successorId === null) return { successorId, graph: remaining };
  const redirected = edges
    .filter(({ toStepId, fromStepId }) => toStepId === step.id && fromStepId !== step.id)
    .map((edge) => ({ ...edge, toStepId: successorId }));
  const graph = { steps: remaining.steps, edges: [...remaining.edges, ...redirected] };
  checkGraph(graph);
  return { successorId, graph };
}

/** Returns the ids of the steps that the TRIGGER leads to, with the TRIGGER. */
export function findReachable({ steps, edges }: Graph): Set<string> {
  const next = new Map<string, string[]>();
  for (const { fromStepId, toStepId } of edges) next.set(fromStepId, [...(next.get(fromStepId) ?? []), toStepId]);
  const reached = new Set(steps.filter(({ type }) => type === 'TRIGGER').map(({ id }) => id));
  // A set also iterates over the elements that are added meanwhile.
  for (const id of reached) for (const to of next.get(id) ?? []) reached.add(to);
  return reached;
}

/** Returns the graph without a step and its edges. */
const removeStep = <Edge extends GraphEdge>({ steps, edges }: Graph<Edge>, { id }: GraphStep): Graph<Edge> => ({
  steps: steps.filter((step) => step.id !== id),
  edges: edges.filter(({ fromStepId, toStepId }) => fromStepId !== id && toStepId !== id),
});
