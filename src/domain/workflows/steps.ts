/** Adds, updates, and deletes the steps of a workflow. */
import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import {
  deleteStepRow,
  endExecutionsAt,
  lockTemplates,
  insertStep,
  redirectExecutions,
  redirectTransitions,
  updateStepRow,
} from './sql/graph.js';
import { lockSegmentGraph } from '../segments/sql/segments.js';
import type { WorkflowRow } from './sql/workflows.js';
import type { StepType } from '../../generated/prisma/enums.js';
import { badRequest, notFound } from '../../errors.js';
import { newId } from '../../ids.js';
import { resolveCondition } from '../conditions/resolve.js';
import type { Filter } from '../conditions/tree.js';
import { STEP_DELETED } from '../executions/words.js';
import { filtersIn } from './condition-config.js';
import { editWorkflow, requireEditable, toGraphStep } from './edit.js';
import type { Step } from './get.js';
import { checkGraph, spliceOut } from './graph.js';
import { requireUsableTemplate } from './template-problems.js';
import { readStepConfig, toStoredConfig, type StepConfig } from './step-config.js';

export interface StepInput {
  type: StepType;
  /** By default, the type in words. */
  name?: string;
  position?: Step['position'];
  config?: Record<string, unknown>;
  /** For a SEND_EMAIL; overrides the template in the config. */
  templateId?: string | null;
}

export const TYPE_IS_FIXED = "A step's type cannot be changed. Delete the step and add another one.";

export const DEFAULT_NAMES: Record<StepType, string> = {
  TRIGGER: 'Trigger',
  SEND_EMAIL: 'Send email',
  DELAY: 'Delay',
  WAIT_FOR_EVENT: 'Wait for event',
  CONDITION: 'Condition',
  WEBHOOK: 'Webhook',
  UPDATE_CONTACT: 'Update contact',
  EXIT: 'Exit',
};

/**
 * Adds a step, without transitions.
 *
 * @throws WORKFLOW_NOT_FOUND, TEMPLATE_NOT_FOUND (404); VALIDATION_ERROR (422) for fields such as `config.amount`;
 * BAD_REQUEST (400: a second TRIGGER, a segment of another project); CONFLICT (409) while the workflow is
 * enabled with active executions
 */
export function addStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { type, name = DEFAULT_NAMES[type], position = { x: 0, y: 0 }, config = {}, templateId }: StepInput,
): Promise<Step> {
  return editWorkflow(ctx, projectId, workflowId, async (tx, workflow) => {
    if (type === 'TRIGGER') throw badRequest('A workflow has exactly one TRIGGER, which is created with the workflow.');
    const read = readStepConfig(type, withTemplate(type, config, templateId));
    await requireEditable(tx, workflow);
    await requireReferences(tx, projectId, [read]);
    await requireUsableTemplate(tx, projectId, read);
    return insertStep(tx, projectId, {
      id: newId(),
      workflowId: workflow.id,
      type,
      name,
      position,
      ...columnsOf(read),
    });
  });
}

export type StepPatch = Omit<StepInput, 'type'> & {
  /** Must be the step's type. */
  type?: StepType;
};

/**
 * Updates the given fields of a step. A config is replaced as a whole, except that a SEND_EMAIL keeps its template if
 * the new config has none.
 *
 * @throws WORKFLOW_NOT_FOUND, STEP_NOT_FOUND, TEMPLATE_NOT_FOUND (404); VALIDATION_ERROR (422); BAD_REQUEST (400) for
 * another type, and if a transition would lose its branch; CONFLICT (409) for another config while the
 * workflow is enabled with active executions
 */
export function updateStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  stepId: string,
  patch: StepPatch,
): Promise<Step> {
  return editWorkflow(ctx, projectId, workflowId, async (tx, workflow) => {
    const before = findStep(workflow, stepId);
    if (patch.type !== undefined && patch.type !== before.type) throw badRequest(TYPE_IS_FIXED);
    const after = {
      ...before,
      name: patch.name ?? before.name,
      position: patch.position ?? before.position,
      ...changedColumns(before, patch),
    };
    if (!isDeepStrictEqual([after.config, after.templateId], [before.config, before.templateId])) {
      await requireEditable(tx, workflow);
      const read = readStepConfig(after.type, after.config);
      await requireReferences(tx, projectId, [read]);
      await requireUsableTemplate(tx, projectId, read);
      const steps = workflow.steps.map((step) => toGraphStep(step.id === before.id ? after : step));
      checkGraph({ steps, edges: workflow.transitions });
    }
    return updateStepRow(tx, after);
  });
}

function changedColumns(before: Step, { config, templateId }: StepPatch): Pick<Step, 'config' | 'templateId'> {
  if (config === undefined && templateId === undefined) return { config: before.config, templateId: before.templateId };
  const kept =
    config !== undefined && templateId === undefined && config.templateId === undefined
      ? before.templateId
      : templateId;
  return columnsOf(readStepConfig(before.type, withTemplate(before.type, config ?? before.config, kept)));
}

/** Returns the config of a SEND_EMAIL with the template that is given next to it. */
export const withTemplate = (
  type: StepType,
  config: Record<string, unknown>,
  templateId: string | null | undefined,
): Record<string, unknown> => (type === 'SEND_EMAIL' && templateId !== undefined ? { ...config, templateId } : config);

/** The template's id also has a column, whose foreign key protects a template that is in use. */
export const columnsOf = (config: StepConfig): Pick<Step, 'config' | 'templateId'> => ({
  config: toStoredConfig(config),
  templateId: config.type === 'SEND_EMAIL' ? config.templateId : null,
});

/**
 * Checks that the templates and segments of configs are in the project, and locks them until they are stored.
 *
 * @throws TEMPLATE_NOT_FOUND (404), BAD_REQUEST (400, an unknown segment)
 */
export async function requireReferences(tx: PoolClient, projectId: string, configs: StepConfig[]): Promise<void> {
  const templateIds = new Set(configs.flatMap((config) => (config.type === 'SEND_EMAIL' ? [config.templateId] : [])));
  if (!(await lockTemplates(tx, projectId, [...templateIds]))) throw notFound('TEMPLATE');
  const filters = configs.flatMap(segmentFiltersOf);
  if (filters.length === 0) return;
  // Waits for the deletion of a segment, and blocks later deletions until this config is stored.
  await lockSegmentGraph(tx, projectId);
  await resolveCondition(tx, { logic: 'AND', groups: [{ filters }] }, { projectId });
}

/** Returns the filters of a CONDITION that name segments. */
export const segmentFiltersOf = (config: StepConfig): Filter[] =>
  config.type === 'CONDITION' ? filtersIn(config.test).filter(({ field }) => field.startsWith('segment.')) : [];

export interface DeleteStep {
  /** Whether to connect the predecessors to the successor. */
  splice: boolean;
}

/**
 * Deletes a step with its transitions. With splice, executions at the step continue at its successor, and are COMPLETED
 * if it has none. Without splice, they are EXITED.
 *
 * @throws WORKFLOW_NOT_FOUND, STEP_NOT_FOUND (404); BAD_REQUEST (400) for the TRIGGER, with splice for a CONDITION, and
 * if a splice breaks a rule of the graph; CONFLICT (409) while the workflow is enabled with active executions
 */
export async function deleteStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  stepId: string,
  { splice }: DeleteStep,
): Promise<void> {
  const moved = await editWorkflow(ctx, projectId, workflowId, async (tx, workflow) => {
    const step = findStep(workflow, stepId);
    if (step.type === 'TRIGGER') throw badRequest('The TRIGGER cannot be deleted, because it is the first step.');
    const successorId = splice
      ? spliceOut({ steps: workflow.steps.map(toGraphStep), edges: workflow.transitions }, toGraphStep(step))
          .successorId
      : null;
    await requireEditable(tx, workflow);
    if (successorId !== null) await redirectTransitions(tx, workflow.id, step.id, successorId);
    // Deleted first: an execution that is reaching the step is then found at it, or does not find the step.
    await deleteStepRow(tx, step.id);
    const at = { projectId, workflowId: workflow.id, stepId: step.id };
    const ended = { projectId, workflowId: workflow.id, stepIds: [step.id] };
    if (successorId !== null)
      return redirectExecutions(tx, at, successorId, 'The step was deleted. The execution continues at its successor.');
    if (splice)
      return endExecutionsAt(tx, ended, {
        status: 'COMPLETED',
        exitReason: null,
        summary: 'The step was deleted and had no successor.',
      });
    // As `advance` ends an execution whose step was deleted.
    return endExecutionsAt(tx, ended, { status: 'EXITED', exitReason: STEP_DELETED, summary: STEP_DELETED });
  });
  if (moved > 0) ctx.wake('outbox');
}

/** @throws STEP_NOT_FOUND (404), also for a malformed id and for a step of another workflow */
export function findStep(workflow: WorkflowRow, id: string): Step {
  const step = workflow.steps.find((one) => one.id === id.toLowerCase());
  if (!step) throw notFound('STEP');
  return step;
}
