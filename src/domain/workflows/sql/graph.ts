/** The locks, steps, and transitions of one workflow, and the executions at a deleted step. */
import type { Queryable } from '../../../db/pool.js';
import { isId } from '../../../ids.js';
import type { ExpectedRevisions } from '../../revisions.js';
import { STEP, TRANSITION, type StepRow, type TransitionRow } from './workflows.js';

/**
 * Locks a workflow against other edits, and sets its time of change and its next revision. Executions can still start.
 * Read the workflow after this call.
 *
 * @returns false if the project has no such workflow with one of these revisions
 */
export async function lockWorkflow(
  tx: Queryable,
  projectId: string,
  id: string,
  expected: ExpectedRevisions,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'workflow-lock',
    text: `UPDATE workflows SET updated_at = clock_timestamp()
            WHERE project_id = $1 AND id = $2 AND ($3::int[] IS NULL OR revision = ANY ($3))`,
    values: [projectId, id, expected],
  });
  return rowCount === 1;
}

/** Locks a workflow against edits, without an edit. Executions can still start. */
export async function lockGraph(tx: Queryable, projectId: string, id: string): Promise<void> {
  await tx.query({
    name: 'workflow-lock-graph',
    text: `SELECT FROM workflows WHERE project_id = $1 AND id = $2 FOR SHARE`,
    values: [projectId, id],
  });
}

/** Also locks a workflow against the start of executions. Waits for starts in progress, whose foreign key locks it. */
export async function lockStarts(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: 'workflow-lock-starts',
    text: `SELECT FROM workflows WHERE id = $1 FOR UPDATE`,
    values: [id],
  });
}

export async function hasActiveExecutions(tx: Queryable, workflowId: string): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>({
    name: 'workflow-active',
    text: `SELECT EXISTS (
             SELECT FROM workflow_executions WHERE workflow_id = $1 AND status IN ('RUNNING', 'WAITING')) AS found`,
    values: [workflowId],
  });
  return rows[0]?.found ?? false;
}

/** Blocks the deletion of templates. @returns false if the project lacks one of them */
export async function lockTemplates(tx: Queryable, projectId: string, ids: string[]): Promise<boolean> {
  if (ids.length === 0) return true;
  if (!ids.every(isId)) return false;
  const { rowCount } = await tx.query({
    name: 'step-template-lock',
    text: `SELECT FROM templates WHERE project_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR KEY SHARE`,
    values: [projectId, ids],
  });
  return rowCount === ids.length;
}

export async function insertStep(
  tx: Queryable,
  projectId: string,
  { id, workflowId, type, name, position, config, templateId }: StepRow,
): Promise<StepRow> {
  const { rows } = await tx.query<{ step: StepRow }>({
    name: 'step-insert',
    text: `INSERT INTO workflow_steps AS s (id, project_id, workflow_id, type, name, position, config, template_id)
           VALUES ($1, $2, $3, $4::step_type, $5, $6, $7, $8) RETURNING ${STEP} AS step`,
    values: [id, projectId, workflowId, type, name, JSON.stringify(position), JSON.stringify(config), templateId],
  });
  return onlyRow(rows).step;
}

/** Updates a step. The event name of a TRIGGER is also written to its workflow. */
export async function updateStepRow(
  tx: Queryable,
  { id, workflowId, type, name, position, config, templateId }: StepRow,
): Promise<StepRow> {
  if (type === 'TRIGGER') {
    await tx.query({
      name: 'workflow-event',
      text: `UPDATE workflows SET event_name = $2 WHERE id = $1 AND event_name <> $2`,
      values: [workflowId, config.eventName],
    });
  }
  const { rows } = await tx.query<{ step: StepRow }>({
    name: 'step-update',
    text: `UPDATE workflow_steps s
              SET name = $2, position = $3, config = $4, template_id = $5, updated_at = clock_timestamp()
            WHERE s.id = $1 RETURNING ${STEP} AS step`,
    values: [id, name, JSON.stringify(position), JSON.stringify(config), templateId],
  });
  return onlyRow(rows).step;
}

export async function insertTransition(
  tx: Queryable,
  projectId: string,
  { id, workflowId, fromStepId, toStepId, branch, priority }: TransitionRow,
): Promise<TransitionRow> {
  const { rows } = await tx.query<{ transition: TransitionRow }>({
    name: 'transition-insert',
    text: `INSERT INTO workflow_transitions AS t
             (id, project_id, workflow_id, from_step_id, to_step_id, branch, priority)
           VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${TRANSITION} AS transition`,
    values: [id, projectId, workflowId, fromStepId, toStepId, branch, priority],
  });
  return onlyRow(rows).transition;
}

export async function deleteTransitionRow(tx: Queryable, id: string): Promise<void> {
  await tx.query({ name: 'transition-delete', text: `DELETE FROM workflow_transitions WHERE id = $1`, values: [id] });
}

/** Redirects all transitions to a step to another step. */
export async function redirectTransitions(tx: Queryable, workflowId: string, from: string, to: string): Promise<void> {
  await tx.query({
    name: 'transitions-redirect',
    text: `UPDATE workflow_transitions SET to_step_id = $3 WHERE workflow_id = $1 AND to_step_id = $2`,
    values: [workflowId, from, to],
  });
}

/** Deletes a step and its transitions. Waits for executions that are reaching it. */
export async function deleteStepRow(tx: Queryable, id: string): Promise<void> {
  await tx.query({ name: 'step-delete', text: `DELETE FROM workflow_steps WHERE id = $1`, values: [id] });
}

export interface DeletedStep {
  projectId: string;
  workflowId: string;
  stepId: string;
}

/**
 * Moves the executions at a deleted step to its successor, and pokes their Temporal workflows. Locks the executions in
 * the order of contacts, as every statement that ends many executions does (executions/sql/executions.ts).
 *
 * @returns the number of executions
 */
export async function redirectExecutions(
  tx: Queryable,
  { projectId, workflowId, stepId }: DeletedStep,
  successorId: string,
  summary: string,
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'executions-redirect',
    // Times are not now(): an execution that this transaction has waited for can have reached the step after now().
    text: `WITH at AS MATERIALIZED (
             SELECT x.id, x.step_execution_id AS open, uuid_v7() AS next FROM workflow_executions x
              WHERE x.project_id = $1 AND x.workflow_id = $2 AND x.current_step_id = $3
                AND x.status IN ('RUNNING', 'WAITING')
              ORDER BY x.contact_id FOR NO KEY UPDATE
           ), closed AS (
             UPDATE step_executions e
                SET status = 'SKIPPED', output = coalesce(e.output, '{}') || jsonb_build_object('summary', $5::text),
                    completed_at = greatest(clock_timestamp(), e.started_at)
               FROM at WHERE e.project_id = $1 AND e.id = at.open
           ), opened AS (
             INSERT INTO step_executions
               (id, project_id, execution_id, step_id, step_type, step_name, status, began_at, started_at)
             SELECT at.next, $1, at.id, s.id, s.type, s.name, 'RUNNING', clock_timestamp(), clock_timestamp()
               FROM at JOIN workflow_steps s ON s.project_id = $1 AND s.workflow_id = $2 AND s.id = $4
           ), moved AS (
             UPDATE workflow_executions x
                SET status = 'RUNNING', current_step_id = $4, step_execution_id = at.next, waiting_for = NULL,
                    wake_at = NULL
               FROM at WHERE x.project_id = $1 AND x.id = at.id
           )
           INSERT INTO outbox (workflow_id, action, payload, fairness_key)
           SELECT 'execution:' || id, 'signal',
                  jsonb_build_object('action', 'signal', 'workflowId', 'execution:' || id, 'signal', 'poke'),
                  'execution/' || $1::text
             FROM at`,
    values: [projectId, workflowId, stepId, successorId, summary],
  });
  return rowCount ?? 0;
}

export interface EndAtStep {
  status: 'COMPLETED' | 'EXITED';
  exitReason: string | null;
  summary: string;
}

export interface DeletedSteps {
  projectId: string;
  workflowId: string;
  stepIds: string[];
}

/** Ends the executions at deleted steps and their Temporal workflows. @returns the number of executions */
export async function endExecutionsAt(
  tx: Queryable,
  { projectId, workflowId, stepIds }: DeletedSteps,
  { status, exitReason, summary }: EndAtStep,
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'executions-end-at-step',
    text: `WITH at AS MATERIALIZED (
             SELECT x.id, x.step_execution_id AS open FROM workflow_executions x
              WHERE x.project_id = $1 AND x.workflow_id = $2 AND x.current_step_id = ANY ($3::uuid[])
                AND x.status IN ('RUNNING', 'WAITING')
              ORDER BY x.contact_id FOR NO KEY UPDATE
           ), closed AS (
             UPDATE step_executions e
                SET status = 'SKIPPED', output = coalesce(e.output, '{}') || jsonb_build_object('summary', $6::text),
                    completed_at = greatest(clock_timestamp(), e.started_at)
               FROM at WHERE e.project_id = $1 AND e.id = at.open
           ), ended AS (
             UPDATE workflow_executions x
                SET status = $4::execution_status, exit_reason = $5,
                    completed_at = greatest(clock_timestamp(), x.started_at), step_execution_id = NULL,
                    waiting_for = NULL, wake_at = NULL
               FROM at WHERE x.project_id = $1 AND x.id = at.id
           )
           INSERT INTO outbox (workflow_id, action, payload, fairness_key)
           SELECT 'execution:' || id, 'cancel',
                  jsonb_build_object('action', 'cancel', 'workflowId', 'execution:' || id, 'reason', $6::text),
                  'execution/' || $1::text
             FROM at`,
    values: [projectId, workflowId, stepIds, status, exitReason, summary],
  });
  return rowCount ?? 0;
}

function onlyRow<T>(rows: T[]): T {
  const [row] = rows;
  if (!row) throw new Error('A write returned no row');
  return row;
}
