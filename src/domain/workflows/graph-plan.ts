/**
 * Reads a whole graph as `PUT /workflows/:id/graph` and `POST /workflows/:id/validate` take it (additions, section 5):
 * resolves the ids and keys, reads the configs, and lists what breaks a rule. Pure.
 */
import { ApiError, type ErrorCode, type FieldError } from '../../errors.js';
import type { StepType } from '../../generated/prisma/enums.js';
import { isId, newId } from '../../ids.js';
import type { Problem } from '../problems.js';
import { findGraphProblems, type Graph, type GraphEdge } from './graph.js';
import { branchesOf, readStepConfig, type StepConfig } from './step-config.js';
import { DEFAULT_NAMES, TYPE_IS_FIXED, withTemplate, type StepInput } from './steps.js';
import type { StepRow, TransitionRow, WorkflowRow } from './sql/workflows.js';

export interface GraphStepInput extends StepInput {
  /** A step of the workflow. */
  id?: string;
  /** A name of the caller's choice for a step without an id. */
  key?: string;
}

export interface GraphInput {
  steps: GraphStepInput[];
  /** `from` and `to` are ids or keys of `steps`. */
  transitions: Array<{ from: string; to: string; branch: string | null }>;
}

/** A problem of a graph with its step, in the terms of the input. */
export interface WorkflowProblem extends Problem {
  stepId?: string;
  key?: string;
}

/** A problem that also prevents saving the graph, with the error that it then causes. */
export interface Refusal {
  problem: WorkflowProblem;
  error: Extract<ErrorCode, 'VALIDATION_ERROR' | 'STEP_NOT_FOUND' | 'BAD_REQUEST'>;
  /** The entry of a 422. */
  entry: FieldError;
}

export interface PlannedStep extends Pick<StepRow, 'id' | 'type' | 'name' | 'position'> {
  /** The step as stored; null for a new one. */
  stored: StepRow | null;
  /** null if the config breaks a rule. */
  config: StepConfig | null;
  /** How the input names the step. */
  label: Pick<WorkflowProblem, 'stepId' | 'key'>;
}

export interface GraphPlan {
  steps: PlannedStep[];
  /** Those with an end that is not in `steps` are left out. */
  edges: Array<GraphEdge & { stored: TransitionRow | null }>;
  /** The ids of the steps that have a key. */
  keys: Record<string, string>;
  /** Empty if the graph can be saved. */
  refusals: Refusal[];
}

type Refuse = (
  problem: Omit<WorkflowProblem, 'level'>,
  error: Refusal['error'],
  entry?: Pick<FieldError, 'message' | 'code' | 'received'>,
) => void;

export function planGraph(workflow: WorkflowRow, input: GraphInput): GraphPlan {
  const refusals: Refusal[] = [];
  const refuse: Refuse = (problem, error, entry = { message: problem.message, code: 'custom' }) =>
    refusals.push({ problem: { level: 'error', ...problem }, error, entry: { ...entry, field: problem.path ?? '' } });
  const ids = new Map<string, string>();
  const steps = input.steps.map((step, index) => planStep(workflow, { step, index, ids }, refuse));
  const triggers = steps.filter(({ type }) => type === 'TRIGGER').length;
  if (triggers !== 1)
    refuse(
      { code: 'wrong_trigger_count', message: 'A workflow has exactly one step of type TRIGGER.', path: 'steps' },
      'BAD_REQUEST',
    );
  const edges = input.transitions.flatMap((transition, index) => {
    const [from, to] = [resolve(ids, transition.from), resolve(ids, transition.to)];
    for (const end of ['from', 'to'] as const)
      if (resolve(ids, transition[end]) === undefined)
        refuse(
          {
            code: 'unknown_step',
            message: `The transition has no step ${JSON.stringify(transition[end])} in this graph.`,
            path: `transitions.${index}.${end}`,
          },
          'VALIDATION_ERROR',
        );
    return from === undefined || to === undefined
      ? []
      : [{ index, fromStepId: from, toStepId: to, branch: transition.branch }];
  });
  refuseBrokenRules({ steps, edges }, refuse);
  const storedByEnds = new Map(workflow.transitions.map((transition) => [endsOf(transition), transition]));
  return {
    steps,
    edges: edges.map((edge) => ({ ...edge, stored: storedByEnds.get(endsOf(edge)) ?? null })),
    keys: Object.fromEntries(steps.flatMap(({ id }, index) => keyEntry(input.steps[index], id))),
    refusals,
  };
}

const keyEntry = (step: GraphStepInput | undefined, id: string): Array<[key: string, id: string]> =>
  step?.key === undefined ? [] : [[step.key, id]];

/** Ids are compared in lowercase; keys as they are. */
const resolve = (ids: Map<string, string>, name: string): string | undefined =>
  ids.get(name) ?? (isId(name) ? ids.get(name.toLowerCase()) : undefined);

interface StepAt {
  step: GraphStepInput;
  index: number;
  /** The ids of the steps before this one, by id and key. The step is added. */
  ids: Map<string, string>;
}

const NO_KEY = 'A step without an id needs a key.';

function planStep(workflow: WorkflowRow, { step, index, ids }: StepAt, refuse: Refuse): PlannedStep {
  const { type, name = DEFAULT_NAMES[type], position = { x: 0, y: 0 }, key } = step;
  const path = `steps.${index}`;
  const wanted = step.id?.toLowerCase();
  const label = wanted === undefined ? { key } : { stepId: wanted };
  const stored = findStep(workflow, wanted, type);
  const id = stored?.id ?? wanted ?? newId();

  if (wanted === undefined && key === undefined)
    refuse({ code: 'missing_key', message: NO_KEY, path: `${path}.key` }, 'VALIDATION_ERROR', {
      message: NO_KEY,
      code: 'required',
    });
  if (wanted !== undefined && !stored)
    refuse(
      { code: 'unknown_step', message: 'The workflow has no such step.', path: `${path}.id`, ...label },
      'STEP_NOT_FOUND',
    );
  if (stored && stored.type !== type)
    refuse({ code: 'changed_type', message: TYPE_IS_FIXED, path: `${path}.type`, ...label }, 'BAD_REQUEST');
  const names = new Set([id, key ?? id]);
  if ([...names].some((used) => ids.has(used)))
    refuse(
      { code: 'repeated_step', message: 'Another step has the same id or key.', path, ...label },
      'VALIDATION_ERROR',
    );
  for (const used of names) ids.set(used, id);

  const config = readConfig(step, stored, (error) =>
    refuse(
      {
        code: error.field === 'config.templateId' && error.code === 'required' ? 'missing_template' : 'invalid_config',
        message: `The step ${JSON.stringify(name)} has an invalid config: ${error.field} ${describe(error)}.`,
        path: `${path}.${error.field}`,
        ...label,
      },
      'VALIDATION_ERROR',
      error,
    ),
  );
  return { id, type, name, position, stored, label, config };
}

/** Every workflow has its TRIGGER already, so a TRIGGER needs no id. */
const findStep = ({ steps }: WorkflowRow, id: string | undefined, type: StepType): StepRow | null =>
  steps.find((step) => (id === undefined ? type === 'TRIGGER' && step.type === 'TRIGGER' : step.id === id)) ?? null;

const describe = ({ code, message }: FieldError): string => (code === 'required' ? 'is missing' : message);

/** Returns null for a config that breaks a rule. A TRIGGER without a config keeps its event. */
function readConfig(
  { type, config, templateId }: GraphStepInput,
  stored: StepRow | null,
  onError: (error: FieldError) => void,
): StepConfig | null {
  const given = config ?? (type === 'TRIGGER' ? stored?.config : undefined) ?? {};
  try {
    return readStepConfig(type, withTemplate(type, given, templateId));
  } catch (error) {
    if (!(error instanceof ApiError) || !error.errors) throw error;
    error.errors.forEach(onError);
    return null;
  }
}

/** The rules of the graph apply to the steps whose config is valid, because it determines their branches. */
function refuseBrokenRules(
  { steps, edges }: { steps: PlannedStep[]; edges: Array<GraphEdge & { index: number }> },
  refuse: Refuse,
): void {
  const graph = toGraph({ steps, edges });
  for (const { code, message, edge, stepId } of findGraphProblems(graph)) {
    const index = edge === null ? undefined : graph.edges[edge]?.index;
    refuse(
      {
        code,
        message,
        ...(index !== undefined && { path: `transitions.${index}` }),
        ...steps.find(({ id }) => id === stepId)?.label,
      },
      'BAD_REQUEST',
    );
  }
}

/** Returns the steps that have a valid config, with their branches, and the edges between them. */
export function toGraph<Edge extends GraphEdge>(plan: {
  steps: readonly PlannedStep[];
  edges: readonly Edge[];
}): Graph<Edge> {
  const steps = plan.steps.flatMap(({ id, type, name, config }) =>
    config === null ? [] : [{ id, type, name, branches: branchesOf(config) }],
  );
  const ids = new Set(steps.map(({ id }) => id));
  return { steps, edges: plan.edges.filter(({ fromStepId, toStepId }) => ids.has(fromStepId) && ids.has(toStepId)) };
}

/** Identifies a transition: a graph has at most one with the same ends and branch. */
const endsOf = ({ fromStepId, toStepId, branch }: GraphEdge): string => JSON.stringify([fromStepId, toStepId, branch]);

/** Returns a stored graph as an input. */
export const toGraphInput = ({ steps, transitions }: WorkflowRow): GraphInput => ({
  steps: steps.map(({ workflowId: _workflow, ...step }) => step),
  transitions: transitions.map(({ fromStepId, toStepId, branch }) => ({ from: fromStepId, to: toStepId, branch })),
});
