/** Creates, updates, and deletes workflows. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { deleteWorkflowRow, insertWorkflow, updateWorkflowRow, type WorkflowRow } from './sql/workflows.js';
import { newId } from '../../ids.js';
import type { ExpectedRevisions } from '../revisions.js';
import { editWorkflow, requireEditable, requireIdle } from './edit.js';
import { requireEnableable } from './problems.js';
import { getWorkflow, readWorkflow, type Workflow } from './get.js';

export interface WorkflowInput {
  name: string;
  description?: string | null;
  /** The name of any event, including the service's own. */
  eventName: string;
  allowReentry: boolean;
}

/** Creates a workflow with its TRIGGER. It is disabled. */
export async function createWorkflow(
  ctx: Context,
  projectId: string,
  { name, description, eventName, allowReentry }: WorkflowInput,
): Promise<Workflow> {
  const id = newId();
  await insertWorkflow(ctx.pool, {
    id,
    triggerId: newId(),
    projectId,
    name,
    description: description ?? null,
    eventName,
    allowReentry,
  });
  return getWorkflow(ctx, projectId, id);
}

export interface WorkflowPatch {
  name?: string;
  description?: string | null;
  enabled?: boolean;
  allowReentry?: boolean;
  triggerConfig?: { eventName: string };
}

/**
 * Updates the given fields in one transaction. A disabled workflow starts no executions; running ones continue.
 *
 * @throws WORKFLOW_NOT_FOUND (404); PRECONDITION_FAILED (412, another revision); VALIDATION_ERROR (422) that lists the
 * errors that prevent enabling it; CONFLICT (409) for another event while the workflow has active executions and stays
 * enabled
 */
export function updateWorkflow(
  ctx: Context,
  projectId: string,
  id: string,
  patch: WorkflowPatch,
  expected: ExpectedRevisions = null,
): Promise<Workflow> {
  const update = async (tx: PoolClient, before: WorkflowRow): Promise<Workflow> => {
    const {
      name = before.name,
      description = before.description,
      enabled = before.enabled,
      allowReentry = before.allowReentry,
    } = patch;
    const eventName = patch.triggerConfig?.eventName ?? before.eventName;
    if (eventName !== before.eventName) await requireEditable(tx, { id, enabled: before.enabled && enabled });
    if (enabled && !before.enabled) await requireEnableable(tx, before);
    await updateWorkflowRow(tx, id, { name, description, enabled, allowReentry, eventName });
    return readWorkflow(tx, projectId, id);
  };
  return editWorkflow(ctx, projectId, id, update, expected);
}

/**
 * Deletes a workflow with its graph and its ended executions. The emails that they sent stay.
 *
 * @throws WORKFLOW_NOT_FOUND (404), PRECONDITION_FAILED (412, another revision), CONFLICT (409) if it has active executions, enabled or not
 */
export async function deleteWorkflow(
  ctx: Context,
  projectId: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  const remove = async (tx: PoolClient): Promise<void> => {
    await requireIdle(
      tx,
      { id },
      'The workflow has active executions. Cancel them first, or wait until they have ended.',
    );
    await deleteWorkflowRow(tx, id);
  };
  await editWorkflow(ctx, projectId, id, remove, expected);
}
