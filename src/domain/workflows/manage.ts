/** Creating, changing and deleting workflows. */
import type { Context } from '../../context.js';
import { deleteWorkflowRow, insertWorkflow, updateWorkflowRow } from './sql/workflows.js';
import { newId } from '../../ids.js';
import { editWorkflow, requireEditable, requireIdle } from './edit.js';
import { getWorkflow, readWorkflow, type Workflow } from './get.js';

export interface WorkflowInput {
  name: string;
  description?: string | null;
  /** Any event's, the service's own too. */
  eventName: string;
  allowReentry: boolean;
}

/** Creates a disabled workflow with its TRIGGER. */
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
 * Changes what is given, all of it or nothing. Disabling starts nothing more; what runs goes on.
 *
 * @throws WORKFLOW_NOT_FOUND (404); CONFLICT (409) for another event while the workflow is and stays enabled with
 * active executions
 */
export function updateWorkflow(ctx: Context, projectId: string, id: string, patch: WorkflowPatch): Promise<Workflow> {
  return editWorkflow(ctx, projectId, id, async (tx, before) => {
    const {
      name = before.name,
      description = before.description,
      enabled = before.enabled,
      allowReentry = before.allowReentry,
    } = patch;
    const eventName = patch.triggerConfig?.eventName ?? before.eventName;
    if (eventName !== before.eventName) await requireEditable(tx, { id, enabled: before.enabled && enabled });
    await updateWorkflowRow(tx, id, { name, description, enabled, allowReentry, eventName });
    return readWorkflow(tx, projectId, id);
  });
}

/**
 * Deletes a workflow with its graph and the executions that have ended. The emails that they sent stay.
 *
 * @throws WORKFLOW_NOT_FOUND (404), CONFLICT (409) with active executions, enabled or not
 */
export async function deleteWorkflow(ctx: Context, projectId: string, id: string): Promise<void> {
  await editWorkflow(ctx, projectId, id, async (tx) => {
    await requireIdle(
      tx,
      { id },
      'The workflow has active executions. Cancel them first, or wait until they have ended.',
    );
    await deleteWorkflowRow(tx, id);
  });
}
