/** Reads and writes workflows with their graphs. */
import type { StepType } from '../../../generated/prisma/enums.js';
import type { Queryable } from '../../../db/pool.js';

export interface StepRow {
  id: string;
  workflowId: string;
  type: StepType;
  name: string;
  position: { x: number; y: number };
  /** As stored; readStepConfig reads it. */
  config: Record<string, unknown>;
  templateId: string | null;
}

export interface TransitionRow {
  id: string;
  workflowId: string;
  fromStepId: string;
  toStepId: string;
  branch: string | null;
  priority: number;
}

export interface WorkflowRow {
  id: string;
  projectId: string;
  name: string;
  description: string | null;
  enabled: boolean;
  triggerType: string;
  eventName: string;
  allowReentry: boolean;
  revision: number;
  /** In the order of creation; the TRIGGER is the first. */
  steps: StepRow[];
  /** By priority, then in the order of creation. */
  transitions: TransitionRow[];
  createdAt: Date;
  updatedAt: Date;
}

/** SQL: the step `s` as JSON. */
export const STEP = `jsonb_build_object('id', s.id, 'workflowId', s.workflow_id, 'type', s.type, 'name', s.name,
  'position', s.position, 'config', s.config, 'templateId', s.template_id)`;
/** SQL: the transition `t` as JSON. */
export const TRANSITION = `jsonb_build_object('id', t.id, 'workflowId', t.workflow_id, 'fromStepId', t.from_step_id,
  'toStepId', t.to_step_id, 'branch', t.branch, 'priority', t.priority)`;

/** One statement reads the graph, so that steps and transitions are of the same moment. */
const COLUMNS = `
  w.id, w.project_id AS "projectId", w.name, w.description, w.enabled, w.trigger_type AS "triggerType",
  w.event_name AS "eventName", w.allow_reentry AS "allowReentry", w.revision,
  coalesce((SELECT jsonb_agg(${STEP} ORDER BY s.id) FROM workflow_steps s
             WHERE s.project_id = w.project_id AND s.workflow_id = w.id), '[]') AS steps,
  coalesce((SELECT jsonb_agg(${TRANSITION} ORDER BY t.priority, t.id) FROM workflow_transitions t
             WHERE t.project_id = w.project_id AND t.workflow_id = w.id), '[]') AS transitions,
  w.created_at AS "createdAt", w.updated_at AS "updatedAt"`;

/** Returns undefined if the project has no such workflow. */
export async function selectWorkflow(db: Queryable, projectId: string, id: string): Promise<WorkflowRow | undefined> {
  const { rows } = await db.query<WorkflowRow>({
    name: 'workflow-select',
    text: `SELECT ${COLUMNS} FROM workflows w WHERE w.project_id = $1 AND w.id = $2`,
    values: [projectId, id],
  });
  return rows[0];
}

const SORTS = { createdAt: 'created_at', name: 'name', updatedAt: 'updated_at' } as const;

export interface WorkflowFilter {
  projectId: string;
  /** A LIKE pattern for the name and the description; case-insensitive. */
  pattern: string | null;
}

export interface WorkflowPage extends WorkflowFilter {
  sort: keyof typeof SORTS;
  dir: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const MATCHES = `w.project_id = $1 AND ($2::text IS NULL OR w.name ILIKE $2 OR w.description ILIKE $2)`;

export async function selectWorkflows(
  db: Queryable,
  { projectId, pattern, sort, dir, limit, offset }: WorkflowPage,
): Promise<WorkflowRow[]> {
  const order = `w.${SORTS[sort]} ${dir === 'asc' ? 'ASC' : 'DESC'}, w.id ${dir === 'asc' ? 'ASC' : 'DESC'}`;
  const { rows } = await db.query<WorkflowRow>(
    // The subquery limits the page before the graphs are read.
    `SELECT ${COLUMNS}
       FROM (SELECT * FROM workflows w WHERE ${MATCHES} ORDER BY ${order} LIMIT $3 OFFSET $4) w
      ORDER BY ${order}`,
    [projectId, pattern, limit, offset],
  );
  return rows;
}

export async function countWorkflows(db: Queryable, { projectId, pattern }: WorkflowFilter): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`SELECT count(*) AS count FROM workflows w WHERE ${MATCHES}`, [
    projectId,
    pattern,
  ]);
  return rows[0]?.count ?? 0;
}

export interface NewWorkflow {
  id: string;
  triggerId: string;
  projectId: string;
  name: string;
  description: string | null;
  eventName: string;
  allowReentry: boolean;
}

/** Inserts a workflow and its TRIGGER. */
export async function insertWorkflow(
  db: Queryable,
  { id, triggerId, projectId, name, description, eventName, allowReentry }: NewWorkflow,
): Promise<void> {
  await db.query({
    name: 'workflow-insert',
    text: `WITH made AS (
             INSERT INTO workflows (id, project_id, name, description, event_name, allow_reentry)
             VALUES ($1, $2, $3, $4, $5, $6) RETURNING id, project_id, event_name
           )
           INSERT INTO workflow_steps (id, project_id, workflow_id, type, name, config)
           SELECT $7, project_id, id, 'TRIGGER', 'Trigger', jsonb_build_object('eventName', event_name) FROM made`,
    values: [id, projectId, name, description, eventName, allowReentry, triggerId],
  });
}

/** Inserts a disabled workflow without steps. */
export async function insertWorkflowRow(
  tx: Queryable,
  { id, projectId, name, description, eventName, allowReentry }: Omit<NewWorkflow, 'triggerId'>,
): Promise<void> {
  await tx.query({
    name: 'workflow-insert-row',
    text: `INSERT INTO workflows (id, project_id, name, description, event_name, allow_reentry)
           VALUES ($1, $2, $3, $4, $5, $6)`,
    values: [id, projectId, name, description, eventName, allowReentry],
  });
}

export type WorkflowChange = Pick<WorkflowRow, 'name' | 'description' | 'enabled' | 'eventName' | 'allowReentry'>;

/** Updates a locked workflow. The event name is also written to its TRIGGER. */
export async function updateWorkflowRow(
  tx: Queryable,
  id: string,
  { name, description, enabled, eventName, allowReentry }: WorkflowChange,
): Promise<void> {
  await tx.query({
    name: 'workflow-update',
    text: `WITH trigger AS (
             UPDATE workflow_steps s
                SET config = jsonb_build_object('eventName', $5::text), updated_at = clock_timestamp()
              WHERE s.workflow_id = $1 AND s.type = 'TRIGGER' AND s.config ->> 'eventName' IS DISTINCT FROM $5
           )
           UPDATE workflows SET name = $2, description = $3, enabled = $4, event_name = $5, allow_reentry = $6
            WHERE id = $1`,
    values: [id, name, description, enabled, eventName, allowReentry],
  });
}

/** Deletes a locked workflow with its graph and its executions. Their emails stay. */
export async function deleteWorkflowRow(tx: Queryable, id: string): Promise<void> {
  await tx.query({ name: 'workflow-delete', text: `DELETE FROM workflows WHERE id = $1`, values: [id] });
}
