/** The graph of a workflow while it is edited: every operation returns another graph. Pure. */
import type { Schemas } from '../../../../../client/src/index.js';
import type { Point } from '../../graph/geometry.js';
import { isSameOutlet, outletsOf, startOf, type StepType } from './kinds.js';

export interface DraftStep {
  /** The id of a saved step; for a new one, a name of the editor. */
  key: string;
  type: StepType;
  name: string;
  /** As the API takes it. It can be incomplete. */
  config: Record<string, unknown>;
  templateId: string | null;
  position: Point;
}

/** A transition. `branch` is the outlet that it leaves. */
export interface DraftEdge {
  from: string;
  to: string;
  branch: string | null;
}

export interface Graph {
  steps: readonly DraftStep[];
  edges: readonly DraftEdge[];
}

/** Where an execution leaves a step. */
export interface Outlet {
  from: string;
  branch: string | null;
}

export const readGraph = ({ steps, transitions }: Pick<Schemas['Workflow'], 'steps' | 'transitions'>): Graph => ({
  steps: steps.map(({ id, type, name, config, templateId, position }) => ({
    key: id,
    type,
    name,
    config,
    templateId,
    position,
  })),
  edges: transitions.map(({ fromStepId, toStepId, branch }) => ({ from: fromStepId, to: toStepId, branch })),
});

/** Returns the body of `PUT /workflows/:id/graph`. @param saved the ids of the steps that the workflow has */
export const toBody = ({ steps, edges }: Graph, saved: ReadonlySet<string>): Schemas['WorkflowGraphInput'] => ({
  steps: steps.map(({ key, type, name, config, templateId, position }) => ({
    ...(saved.has(key) ? { id: key } : { key }),
    type,
    name,
    config,
    templateId,
    position,
  })),
  transitions: edges.map(({ from, to, branch }) => ({ from, to, branch })),
});

/** Returns the graph with the ids that the API gave to new steps. */
export function withIds({ steps, edges }: Graph, ids: Readonly<Record<string, string>>): Graph {
  const idOf = (key: string): string => ids[key] ?? key;
  return {
    steps: steps.map((step) => ({ ...step, key: idOf(step.key) })),
    edges: edges.map(({ from, to, branch }) => ({ from: idOf(from), to: idOf(to), branch })),
  };
}

export const stepOf = ({ steps }: Graph, key: string): DraftStep | undefined => steps.find((step) => step.key === key);

const leaves = (graph: Graph, edge: DraftEdge, { from, branch }: Outlet): boolean => {
  const type = stepOf(graph, from)?.type;
  return edge.from === from && type !== undefined && isSameOutlet(type, edge.branch, branch);
};

export const targetOf = (graph: Graph, outlet: Outlet): string | undefined =>
  graph.edges.find((edge) => leaves(graph, edge, outlet))?.to;

/** Returns the graph with a transition from an outlet, in place of the one that it had; with null, without it. */
export function connect(graph: Graph, outlet: Outlet, to: string | null): Graph {
  const others = graph.edges.filter((edge) => !leaves(graph, edge, outlet));
  return { ...graph, edges: to === null ? others : [...others, { ...outlet, to }] };
}

/** Whether a transition may lead there: not to the step itself, and not to the TRIGGER. */
export const canLead = (graph: Graph, { from }: Outlet, to: string): boolean =>
  from !== to && stepOf(graph, to)?.type !== 'TRIGGER';

/** Inserts a step at an outlet. What came next follows the new step, unless that is an EXIT. */
export function insert(graph: Graph, step: DraftStep, outlet: Outlet): Graph {
  const next = targetOf(graph, outlet);
  const added = connect({ ...graph, steps: [...graph.steps, step] }, outlet, step.key);
  const [first] = outletsOf(step);
  return next === undefined || first === undefined ? added : connect(added, { from: step.key, branch: first }, next);
}

/** Removes a step. The transitions to it lead to what followed on its first outlet, as far as that is permitted. */
export function remove(graph: Graph, key: string): Graph {
  const step = stepOf(graph, key);
  if (!step || step.type === 'TRIGGER') return graph;
  const [first] = outletsOf(step);
  const next = first === undefined ? undefined : targetOf(graph, { from: key, branch: first });
  const edges = graph.edges.flatMap((edge) => {
    if (edge.from === key) return [];
    if (edge.to !== key) return [edge];
    return next === undefined || next === edge.from ? [] : [{ ...edge, to: next }];
  });
  return { steps: graph.steps.filter((other) => other.key !== key), edges };
}

/** Changes a step. Transitions on branches that it no longer has are removed. */
export function change(graph: Graph, key: string, values: Partial<Omit<DraftStep, 'key' | 'type'>>): Graph {
  const steps = graph.steps.map((step) => (step.key === key ? { ...step, ...values } : step));
  const changed = steps.find((step) => step.key === key);
  if (!changed) return graph;
  const outlets = outletsOf(changed);
  const edges = graph.edges.filter(
    ({ from, branch }) => from !== key || outlets.some((outlet) => isSameOutlet(changed.type, outlet, branch)),
  );
  return { steps, edges };
}

/** A step without a place (places.ts). */
export type Unplaced = Omit<DraftStep, 'position'>;

export const newStep = (type: StepType, key: string, name: string): Unplaced => ({
  key,
  type,
  name,
  templateId: null,
  config: startOf(type),
});

export const copyOf = ({ type, templateId, config }: DraftStep, key: string, name: string): Unplaced => ({
  key,
  type,
  name,
  templateId,
  config: structuredClone(config),
});
