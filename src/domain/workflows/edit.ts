/** Serializes the edits of a workflow, so that the rules of its graph hold after all of them. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { hasActiveExecutions, lockStarts, lockWorkflow } from './sql/graph.js';
import { selectWorkflow, type StepRow, type WorkflowRow } from './sql/workflows.js';
import { conflict, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { withLockTimeout } from '../lock-timeout.js';
import { staleRevision, type ExpectedRevisions } from '../revisions.js';
import type { GraphStep } from './graph.js';
import { branchesOf, readStepConfig } from './step-config.js';

/**
 * Runs an edit in one transaction, with the workflow locked against other edits.
 *
 * @throws WORKFLOW_NOT_FOUND (404); PRECONDITION_FAILED (412, another revision); SERVICE_UNAVAILABLE (503) if another transaction keeps the workflow locked
 */
export async function editWorkflow<T>(
  { pool }: Context,
  projectId: string,
  id: string,
  edit: (tx: PoolClient, workflow: WorkflowRow) => Promise<T>,
  expected: ExpectedRevisions = null,
): Promise<T> {
  if (!isId(id)) throw notFound('WORKFLOW');
  return withLockTimeout(pool, async (tx) => {
    // A second statement sees the commits that the lock has waited for.
    const isLocked = await lockWorkflow(tx, projectId, id, expected);
    const workflow = await selectWorkflow(tx, projectId, id);
    if (!workflow) throw notFound('WORKFLOW');
    if (!isLocked) throw staleRevision(workflow.revision);
    return edit(tx, workflow);
  });
}

/**
 * Blocks the start of executions until the end of the transaction.
 *
 * The first check avoids the lock, which waits for executions that are being started and can take long in a busy
 * workflow.
 *
 * @throws CONFLICT (409) if there are active executions
 */
export async function requireIdle(tx: PoolClient, { id }: Pick<WorkflowRow, 'id'>, refusal: string): Promise<void> {
  if (await hasActiveExecutions(tx, id)) throw conflict(refusal);
  await lockStarts(tx, id);
  if (await hasActiveExecutions(tx, id)) throw conflict(refusal);
}

/** @throws CONFLICT (409) if the workflow is enabled and has active executions (contract, section 7, "Live edits") */
export async function requireEditable(tx: PoolClient, workflow: Pick<WorkflowRow, 'id' | 'enabled'>): Promise<void> {
  if (workflow.enabled)
    await requireIdle(
      tx,
      workflow,
      'The workflow is enabled and has active executions. Disable it, or wait until they have ended.',
    );
}

/** Returns a stored step as the rules of the graph use it. */
export const toGraphStep = ({
  id,
  type,
  name,
  config,
}: Pick<StepRow, 'id' | 'type' | 'name' | 'config'>): GraphStep => ({
  id,
  type,
  name,
  branches: branchesOf(readStepConfig(type, config)),
});
