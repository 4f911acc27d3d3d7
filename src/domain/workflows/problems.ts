/** The problems of a workflow: what prevents saving or enabling it, and what is probably a mistake. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { requireUsable, type Problem } from '../problems.js';
import { selectSegmentConditions } from '../segments/sql/segments.js';
import { findReachable, type Graph } from './graph.js';
import {
  planGraph,
  toGraph,
  toGraphInput,
  type GraphInput,
  type GraphPlan,
  type PlannedStep,
  type WorkflowProblem,
} from './graph-plan.js';
import { selectTemplateFacts, type TemplateFacts } from './sql/template-facts.js';
import { selectWorkflow, type WorkflowRow } from './sql/workflows.js';
import { segmentFiltersOf } from './steps.js';
import { listTemplateErrors } from './template-problems.js';

/**
 * Returns the problems of a graph, or of the stored graph. Those of level error prevent saving or enabling it.
 *
 * @throws WORKFLOW_NOT_FOUND (404)
 */
export async function validateWorkflow(
  { pool }: Context,
  projectId: string,
  id: string,
  input: GraphInput | null,
): Promise<WorkflowProblem[]> {
  const workflow = isId(id) ? await selectWorkflow(pool, projectId, id) : undefined;
  if (!workflow) throw notFound('WORKFLOW');
  return findProblems(pool, workflow, input ?? toGraphInput(workflow));
}

async function findProblems(db: Queryable, workflow: WorkflowRow, input: GraphInput): Promise<WorkflowProblem[]> {
  const plan = planGraph(workflow, input);
  return [
    ...plan.refusals.map(({ problem }) => problem),
    ...(await findReferenceProblems(db, workflow.projectId, plan.steps)),
    ...findFlowProblems(plan),
  ];
}

/** @throws VALIDATION_ERROR (422) that lists the problems of level error */
export async function requireEnableable(tx: PoolClient, workflow: WorkflowRow): Promise<void> {
  requireUsable(await findProblems(tx, workflow, toGraphInput(workflow)), 'The workflow cannot be enabled.');
}

/** Returns the problems of the templates and segments that steps use. */
export async function findReferenceProblems(
  db: Queryable,
  projectId: string,
  steps: readonly PlannedStep[],
): Promise<WorkflowProblem[]> {
  const templateIds = steps.flatMap(({ config }) => (config?.type === 'SEND_EMAIL' ? [config.templateId] : []));
  const ids = templateIds.filter(isId);
  const templates = await selectTemplateFacts(db, projectId, ids);
  const errors = await listTemplateErrors(db, projectId, ids);
  const segmentIds = [...new Set(steps.flatMap(({ config }) => segmentIdsOf(config)))];
  const segments = segmentIds.length === 0 ? [] : await selectSegmentConditions(db, projectId, segmentIds.filter(isId));
  const known = new Set(segments.map(({ id }) => id));
  return steps.flatMap(({ name, config, label }, index) => {
    const describe = (message: string): string => `The step ${JSON.stringify(name)}: ${message}`;
    if (config?.type === 'SEND_EMAIL')
      return findTemplateProblems(templates.get(config.templateId), errors.get(config.templateId)).map((problem) => ({
        ...problem,
        message: describe(problem.message),
        path: `steps.${index}.templateId`,
        ...label,
      }));
    return segmentIdsOf(config)
      .filter((id) => !known.has(id))
      .map((id) => ({
        code: 'unknown_segment',
        level: 'error' as const,
        message: describe(`The segment ${id} does not exist.`),
        path: `steps.${index}.config`,
        ...label,
      }));
  });
}

const segmentIdsOf = (config: PlannedStep['config']): string[] =>
  config === null ? [] : segmentFiltersOf(config).map(({ field }) => field.slice('segment.'.length).toLowerCase());

/** A template that is not a draft was checked when it was saved; the domain of its sender can change since. */
function findTemplateProblems(template: TemplateFacts | undefined, errors: readonly Problem[] = []): Problem[] {
  if (!template) return [{ code: 'unknown_template', level: 'error', message: 'The template does not exist.' }];
  if (template.draft || template.isVerified) return [...errors];
  const message = `The sender domain of the template ${JSON.stringify(template.name)} is not verified.`;
  return [{ code: 'unverified_sender', level: 'warning', message }];
}

/** Returns what the graph permits but is probably a mistake. */
function findFlowProblems(plan: GraphPlan): WorkflowProblem[] {
  const graph = toGraph(plan);
  const reachable = findReachable(graph);
  const isComplete = graph.steps.length === plan.steps.length;
  return plan.steps.flatMap((step, index): WorkflowProblem[] => {
    const { id, name, label, type } = step;
    const at = { path: `steps.${index}`, ...label };
    const title = JSON.stringify(name);
    if (isComplete && !reachable.has(id))
      return [{ code: 'unreachable_step', level: 'warning', message: `No path leads to the step ${title}.`, ...at }];
    if (type === 'TRIGGER' && !graph.edges.some(({ fromStepId }) => fromStepId === id))
      return [
        {
          code: 'no_steps',
          level: 'warning',
          message: 'No step follows the TRIGGER: executions end immediately.',
          ...at,
        },
      ];
    return missingBranches(step, graph).map((branch) => ({
      code: 'missing_branch',
      level: type === 'CONDITION' ? 'warning' : 'info',
      message: `No step follows the branch ${JSON.stringify(branch)} of the step ${title}: executions end there.`,
      ...at,
    }));
  });
}

/** Returns the branches of a CONDITION, and the timeout of a WAIT_FOR_EVENT, without a transition. */
function missingBranches({ id, config }: PlannedStep, { steps, edges }: Graph): string[] {
  const used = edges.filter(({ fromStepId }) => fromStepId === id).map(({ branch }) => branch);
  if (config?.type === 'WAIT_FOR_EVENT' && config.timeout !== null) return used.includes('timeout') ? [] : ['timeout'];
  if (config?.type !== 'CONDITION') return [];
  const branches = steps.find((step) => step.id === id)?.branches ?? [];
  return branches.filter((branch) => branch !== null && !used.includes(branch)).map(String);
}
