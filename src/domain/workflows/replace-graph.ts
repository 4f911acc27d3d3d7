/** Replaces the whole graph of a workflow (additions, section 5). */
import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { badRequest, notFound, validationError } from '../../errors.js';
import { newId } from '../../ids.js';
import { STEP_DELETED } from '../executions/words.js';
import { requireUsable } from '../problems.js';
import type { ExpectedRevisions } from '../revisions.js';
import { editWorkflow, requireEditable } from './edit.js';
import { readWorkflow, type Workflow } from './get.js';
import { planGraph, type GraphInput, type GraphPlan, type PlannedStep } from './graph-plan.js';
import { findReferenceProblems } from './problems.js';
import { endExecutionsAt } from './sql/graph.js';
import { deleteFromGraph, insertSteps, insertTransitions, updateSteps } from './sql/replace-graph.js';
import type { StepRow, WorkflowRow } from './sql/workflows.js';
import type { StepConfig } from './step-config.js';
import { columnsOf, requireReferences } from './steps.js';

export interface ReplacedGraph {
  workflow: Workflow;
  /** The ids of the steps that have a key. */
  keys: Record<string, string>;
}

/**
 * Replaces the steps and transitions of a workflow in one transaction: those with a known id are updated, those with a
 * key are added, and the others are deleted. Executions at a deleted step end as EXITED, as without splice in
 * deleteStep. A transition with the same ends and branch as before keeps its id.
 *
 * @throws WORKFLOW_NOT_FOUND, STEP_NOT_FOUND, TEMPLATE_NOT_FOUND (404); VALIDATION_ERROR (422) for fields such as
 * `steps.2.config.amount`, and for a template that is a draft with errors; BAD_REQUEST (400) that names the broken rule
 * of the graph, or an unknown segment; PRECONDITION_FAILED (412, another revision); CONFLICT (409) for a change of more
 * than names and positions while the workflow is enabled with active executions
 */
export async function replaceGraph(
  ctx: Context,
  projectId: string,
  workflowId: string,
  input: GraphInput,
  expected: ExpectedRevisions,
): Promise<ReplacedGraph> {
  let ended = 0;
  const replace = async (tx: PoolClient, workflow: WorkflowRow): Promise<ReplacedGraph> => {
    const plan = planGraph(workflow, input);
    requirePlan(plan);
    const change = diffGraph(workflow, plan);
    if (change.changesFlow) {
      await requireEditable(tx, workflow);
      await requireReferences(tx, projectId, change.configs);
      const problems = await findReferenceProblems(tx, projectId, plan.steps);
      requireUsable(problems, 'A template is a draft with errors and cannot be used.');
    }
    const at = { projectId, workflowId: workflow.id };
    await deleteFromGraph(tx, at, change.deleted);
    ended = await endExecutionsAt(
      tx,
      { ...at, stepIds: change.deleted.stepIds },
      { status: 'EXITED', exitReason: STEP_DELETED, summary: STEP_DELETED },
    );
    await updateSteps(tx, at, change.updated);
    await insertSteps(tx, at, change.inserted);
    await insertTransitions(tx, at, change.connected);
    return { workflow: await readWorkflow(tx, projectId, workflow.id), keys: plan.keys };
  };
  const replaced = await editWorkflow(ctx, projectId, workflowId, replace, expected);
  if (ended > 0) ctx.wake('outbox');
  return replaced;
}

/** @throws the first kind of refusal: VALIDATION_ERROR with all entries, STEP_NOT_FOUND, or BAD_REQUEST */
function requirePlan({ refusals }: GraphPlan): void {
  const entries = refusals.filter(({ error }) => error === 'VALIDATION_ERROR').map(({ entry }) => entry);
  if (entries.length > 0) throw validationError(entries);
  if (refusals.some(({ error }) => error === 'STEP_NOT_FOUND')) throw notFound('STEP');
  const [rule] = refusals;
  if (rule) throw badRequest(rule.problem.message, { details: { problems: refusals.map(({ problem }) => problem) } });
}

/** The rows to write. `changesFlow` is false if only names and positions change. */
function diffGraph(workflow: WorkflowRow, { steps, edges }: GraphPlan) {
  const rows = steps.map((step) => ({ stored: step.stored, row: toRow(workflow, step) }));
  const keptIds = new Set(steps.map(({ id }) => id));
  const keptEdges = new Set(edges.map(({ stored }) => stored?.id));
  const deleted = {
    stepIds: workflow.steps.map(({ id }) => id).filter((id) => !keptIds.has(id)),
    transitionIds: workflow.transitions.map(({ id }) => id).filter((id) => !keptEdges.has(id)),
  };
  const updated = rows.filter(({ stored, row }) => stored !== null && !isDeepStrictEqual(stored, row));
  const inserted = rows.filter(({ stored }) => stored === null);
  const connected = edges
    .filter(({ stored }) => stored === null)
    .map(({ fromStepId, toStepId, branch }) => ({ id: newId(), fromStepId, toStepId, branch, priority: 0 }));
  const configured = [...inserted, ...updated.filter(({ stored, row }) => !hasSameConfig(stored, row))];
  const toRows = (list: typeof rows): StepRow[] => list.map(({ row }) => row);
  return {
    deleted,
    updated: toRows(updated),
    inserted: toRows(inserted),
    connected,
    configs: steps.filter(({ id }) => configured.some(({ row }) => row.id === id)).map(configOf),
    changesFlow: [deleted.stepIds, deleted.transitionIds, connected, configured].some((list) => list.length > 0),
  };
}

const hasSameConfig = (before: StepRow | null, after: StepRow): boolean =>
  isDeepStrictEqual([before?.config, before?.templateId], [after.config, after.templateId]);

const toRow = ({ id: workflowId }: WorkflowRow, step: PlannedStep): StepRow => ({
  id: step.id,
  workflowId,
  type: step.type,
  name: step.name,
  position: step.position,
  ...columnsOf(configOf(step)),
});

function configOf({ config }: PlannedStep): StepConfig {
  if (config === null) throw new Error('A step of a checked graph has no config');
  return config;
}
