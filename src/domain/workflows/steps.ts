/** Adding, changing and deleting the steps of a workflow. */
import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import {
  deleteStepRow,
  endExecutionsAt,
  holdTemplate,
  insertStep,
  moveExecutionsOn,
  redirectTransitions,
  updateStepRow,
} from './sql/graph.js';
import { lockSegmentGraph } from '../segments/sql/segments.js';
import type { WorkflowRow } from './sql/workflows.js';
import type { StepType } from '../../generated/prisma/enums.js';
import { badRequest, notFound } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { resolveCondition } from '../conditions/resolve.js';
import { STEP_DELETED } from '../executions/words.js';
import { filtersIn } from './condition-config.js';
import { editWorkflow, requireEditable, toGraphStep } from './edit.js';
import type { Step } from './get.js';
import { checkGraph, spliceOut } from './graph.js';
import { readStepConfig, toStoredConfig, type StepConfig } from './step-config.js';

export interface StepInput {
  type: StepType;
  /** The type in words when it is not given. */
  name?: string;
  position?: Step['position'];
  config?: Record<string, unknown>;
  /** Of a SEND_EMAIL: the same as in the config. */
  templateId?: string | null;
}

const NAMES: Record<StepType, string> = {
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
 * @throws WORKFLOW_NOT_FOUND, TEMPLATE_NOT_FOUND (404); VALIDATION_ERROR (422) naming places such as `config.amount`;
 * BAD_REQUEST (400: a second TRIGGER, a segment that is not in the project); CONFLICT (409) while the workflow is
 * enabled with active executions
 */
export function addStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { type, name = NAMES[type], position = { x: 0, y: 0 }, config = {}, templateId }: StepInput,
): Promise<Step> {
  return editWorkflow(ctx, projectId, workflowId, async (tx, workflow) => {
    if (type === 'TRIGGER') throw badRequest('A workflow has one TRIGGER, which is made with it.');
    const read = readStepConfig(type, withTemplate(type, config, templateId));
    await requireEditable(tx, workflow);
    await requireReferences(tx, projectId, read);
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
  /** Only the one that the step has. */
  type?: StepType;
};

/**
 * Changes what is given of a step. A config is replaced as a whole, except that a SEND_EMAIL keeps its template when
 * the new one names none.
 *
 * @throws WORKFLOW_NOT_FOUND, STEP_NOT_FOUND, TEMPLATE_NOT_FOUND (404); VALIDATION_ERROR (422); BAD_REQUEST (400) for
 * another type, and when a transition would be left without its branch; CONFLICT (409) for another config while the
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
    const before = stepOf(workflow, stepId);
    if (patch.type !== undefined && patch.type !== before.type)
      throw badRequest("A step's type can't be changed. Delete the step, and add another one.");
    const after = {
      ...before,
      name: patch.name ?? before.name,
      position: patch.position ?? before.position,
      ...changedColumns(before, patch),
    };
    if (!isDeepStrictEqual([after.config, after.templateId], [before.config, before.templateId])) {
      await requireEditable(tx, workflow);
      await requireReferences(tx, projectId, readStepConfig(after.type, after.config));
      const steps = workflow.steps.map((step) => toGraphStep(step.id === before.id ? after : step));
      checkGraph({ steps, edges: workflow.transitions });
    }
    return updateStepRow(tx, after);
  });
}

function changedColumns(before: Step, { config, templateId }: StepPatch): Pick<Step, 'config' | 'templateId'> {
  if (config === undefined && templateId === undefined) return { config: before.config, templateId: before.templateId };
  // Without a word about it, the template stays.
  const kept =
    config !== undefined && templateId === undefined && config.templateId === undefined
      ? before.templateId
      : templateId;
  return columnsOf(readStepConfig(before.type, withTemplate(before.type, config ?? before.config, kept)));
}

/** The config with the template that stands beside it, which counts more than the one in it. */
const withTemplate = (
  type: StepType,
  config: Record<string, unknown>,
  templateId: string | null | undefined,
): Record<string, unknown> => (type === 'SEND_EMAIL' && templateId !== undefined ? { ...config, templateId } : config);

/** The template's id has a column too, so that a template that is in use is known as such. */
const columnsOf = (config: StepConfig): Pick<Step, 'config' | 'templateId'> => ({
  config: toStoredConfig(config),
  templateId: config.type === 'SEND_EMAIL' ? config.templateId : null,
});

/** @throws TEMPLATE_NOT_FOUND (404), BAD_REQUEST (400) for a segment, when what a config names is not in the project */
async function requireReferences(tx: PoolClient, projectId: string, config: StepConfig): Promise<void> {
  if (
    config.type === 'SEND_EMAIL' &&
    !(isId(config.templateId) && (await holdTemplate(tx, projectId, config.templateId)))
  )
    throw notFound('TEMPLATE');
  if (config.type !== 'CONDITION') return;
  const filters = filtersIn(config.test).filter(({ field }) => field.startsWith('segment.'));
  if (filters.length === 0) return;
  // A segment that is being deleted is waited for, and is then gone; one that is named here is not deleted.
  await lockSegmentGraph(tx, projectId);
  await resolveCondition(tx, { logic: 'AND', groups: [{ filters }] }, { projectId });
}

export interface DeleteStep {
  /** Whether the predecessors' transitions lead to the successor then. */
  splice: boolean;
}

/**
 * Deletes a step with its transitions. Executions that are at it go on at its successor with splice; they are COMPLETED
 * when it has none, and EXITED without splice.
 *
 * @throws WORKFLOW_NOT_FOUND, STEP_NOT_FOUND (404); BAD_REQUEST (400) for the TRIGGER, with splice for a CONDITION, and
 * when a splice breaks a rule of the graph; CONFLICT (409) while the workflow is enabled with active executions
 */
export async function deleteStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  stepId: string,
  { splice }: DeleteStep,
): Promise<void> {
  const moved = await editWorkflow(ctx, projectId, workflowId, async (tx, workflow) => {
    const step = stepOf(workflow, stepId);
    if (step.type === 'TRIGGER') throw badRequest("The TRIGGER can't be deleted: it is where the workflow begins.");
    const successorId = splice
      ? spliceOut({ steps: workflow.steps.map(toGraphStep), edges: workflow.transitions }, toGraphStep(step))
          .successorId
      : null;
    await requireEditable(tx, workflow);
    if (successorId !== null) await redirectTransitions(tx, workflow.id, step.id, successorId);
    // Before the executions at it are looked for: whoever is just reaching the step is there then, or sees that it is
    // gone.
    await deleteStepRow(tx, step.id);
    const at = { projectId, workflowId: workflow.id, stepId: step.id };
    if (successorId !== null)
      return moveExecutionsOn(tx, at, successorId, 'The step was deleted; its successor is the next one.');
    if (splice)
      return endExecutionsAt(tx, at, {
        status: 'COMPLETED',
        exitReason: null,
        summary: 'The step was deleted, and no step came after it.',
      });
    // As the engine ends an execution whose step it finds gone.
    return endExecutionsAt(tx, at, { status: 'EXITED', exitReason: STEP_DELETED, summary: STEP_DELETED });
  });
  if (moved > 0) ctx.wake('outbox');
}

/** @throws STEP_NOT_FOUND (404), the same for a malformed id and for another workflow's */
export function stepOf(workflow: WorkflowRow, id: string): Step {
  const step = workflow.steps.find((one) => one.id === id.toLowerCase());
  if (!step) throw notFound('STEP');
  return step;
}
