/** Edits of a workflow, one at a time: the rules of its graph hold for what all of them make together. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { hasActiveExecutions, lockStarts, lockWorkflow } from './sql/graph.js';
import { selectWorkflow, type StepRow, type WorkflowRow } from './sql/workflows.js';
import { conflict, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { givingWay } from '../give-way.js';
import type { GraphStep } from './graph.js';
import { branchesOf, readStepConfig } from './step-config.js';

/**
 * Runs an edit with the workflow's row locked against all others, in one transaction.
 *
 * @throws WORKFLOW_NOT_FOUND (404); SERVICE_UNAVAILABLE (503) when another one holds the workflow for seconds
 */
export async function editWorkflow<T>(
  { pool }: Context,
  projectId: string,
  id: string,
  edit: (tx: PoolClient, workflow: WorkflowRow) => Promise<T>,
): Promise<T> {
  if (!isId(id)) throw notFound('WORKFLOW');
  return givingWay(pool, async (tx) => {
    // Read in a statement of its own: what was committed while the lock was waited for belongs to it.
    const workflow = (await lockWorkflow(tx, projectId, id)) ? await selectWorkflow(tx, projectId, id) : undefined;
    if (!workflow) throw notFound('WORKFLOW');
    return edit(tx, workflow);
  });
}

/**
 * Holds off the start of executions until the end of the transaction, when there are none.
 *
 * Looks before it locks: the lock waits for the executions that are being started, and where they keep coming it would
 * wait for long.
 *
 * @throws CONFLICT (409) with active executions
 */
export async function requireIdle(tx: PoolClient, { id }: Pick<WorkflowRow, 'id'>, refusal: string): Promise<void> {
  if (await hasActiveExecutions(tx, id)) throw conflict(refusal);
  await lockStarts(tx, id);
  if (await hasActiveExecutions(tx, id)) throw conflict(refusal);
}

/** @throws CONFLICT (409) while the workflow is enabled with active executions (contract, section 7, "Live edits") */
export async function requireEditable(tx: PoolClient, workflow: Pick<WorkflowRow, 'id' | 'enabled'>): Promise<void> {
  if (workflow.enabled)
    await requireIdle(
      tx,
      workflow,
      'The workflow is enabled and has active executions. Disable it first, or wait until they have ended.',
    );
}

/** A stored step as the graph's rules see it. */
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
