/** Starts and cancels executions. Their moves through the graph are in move.ts. */
import { currentTrace } from '../../../trace.js';
import type { Queryable } from '../../../db/pool.js';

export interface NewExecution {
  id: string;
  projectId: string;
  workflowId: string;
  /** null for a malformed id, which no contact has. */
  contactId: string | null;
  context: Record<string, unknown>;
}

/** The outcome of a start. The refusals are in the order of their checks. */
export type StartOutcome =
  | 'no workflow'
  | 'no contact'
  | 'project disabled'
  | 'workflow disabled'
  | 'entered before'
  | 'active'
  | 'started';

/**
 * Inserts an execution and the intent that starts its Temporal workflow, in one statement, unless a rule forbids it.
 *
 * The statement locks the workflow, contact, and project as the execution's foreign keys do. It therefore waits for a
 * deletion in progress and then finds no row. A transaction that disables the project (src/domain/projects/stop.ts)
 * either makes this statement refuse, or sees its execution. Of concurrent starts, including those by events, the
 * unique indexes let one succeed.
 */
export async function insertExecution(
  db: Queryable,
  { id, projectId, workflowId, contactId, context }: NewExecution,
): Promise<StartOutcome> {
  const { rows } = await db.query<{ outcome: StartOutcome }>({
    name: 'execution-start',
    text: `WITH contact AS MATERIALIZED (
             SELECT id FROM contacts WHERE project_id = $2 AND id = $4 FOR KEY SHARE
           ), workflow AS MATERIALIZED (
             SELECT id, enabled, allow_reentry FROM workflows WHERE project_id = $2 AND id = $3 FOR KEY SHARE
           ), project AS MATERIALIZED (
             SELECT disabled FROM projects WHERE id = $2 FOR KEY SHARE
           ), started AS (
             INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, context, entry_key)
             SELECT $1, $2, w.id, c.id, $5::jsonb, CASE WHEN NOT w.allow_reentry THEN w.id END
               FROM contact c, workflow w, project p
              WHERE w.enabled AND NOT p.disabled
                AND (w.allow_reentry OR NOT EXISTS (
                      SELECT FROM workflow_executions x
                       WHERE x.project_id = $2 AND x.contact_id = $4 AND x.workflow_id = $3))
             ON CONFLICT DO NOTHING
             RETURNING id, project_id, workflow_id, contact_id
           ), intent AS (
             INSERT INTO outbox (workflow_id, action, payload, fairness_key)
             SELECT 'execution:' || s.id, 'start',
                    execution_start(s.id, s.project_id, s.workflow_id, s.contact_id)
                    || CASE WHEN $6::text IS NULL THEN '{}' ELSE jsonb_build_object('trace', $6::text) END,
                    'execution/' || s.project_id
               FROM started s
           )
           SELECT CASE WHEN NOT EXISTS (SELECT FROM workflow) THEN 'no workflow'
                       WHEN NOT EXISTS (SELECT FROM contact) THEN 'no contact'
                       WHEN NOT EXISTS (SELECT FROM project WHERE NOT disabled) THEN 'project disabled'
                       WHEN NOT EXISTS (SELECT FROM workflow WHERE enabled) THEN 'workflow disabled'
                       WHEN EXISTS (SELECT FROM started) THEN 'started'
                       WHEN EXISTS (SELECT FROM workflow WHERE allow_reentry) THEN 'active'
                       ELSE 'entered before' END AS outcome`,
    values: [id, projectId, workflowId, contactId, JSON.stringify(context), currentTrace()],
  });
  return rows[0]?.outcome ?? 'no workflow';
}

/**
 * Cancels the active executions with these ids, and queues the cancellation of their Temporal workflows. Locks the
 * rows in the order of contacts, as every statement that ends many executions does.
 *
 * @returns the ids of the canceled executions
 */
export async function cancelExecutionRows(tx: Queryable, ids: string[], reason: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'executions-cancel',
    text: `WITH locked AS MATERIALIZED (
             SELECT id, project_id, step_execution_id FROM workflow_executions
              WHERE id = ANY ($1::uuid[]) AND status IN ('RUNNING', 'WAITING') ORDER BY contact_id FOR NO KEY UPDATE
           ), execution AS (
             UPDATE workflow_executions x
                SET status = 'CANCELLED', exit_reason = $2, completed_at = greatest(now(), x.started_at),
                    step_execution_id = NULL, waiting_for = NULL, wake_at = NULL
               FROM locked l WHERE x.id = l.id
           ), steps AS MATERIALIZED (
             SELECT close_steps(ARRAY(SELECT step_execution_id FROM locked), 'CANCELLED', $2, NULL, now())
           ), intent AS (
             INSERT INTO outbox (workflow_id, action, payload, fairness_key)
             SELECT 'execution:' || l.id, 'cancel',
                    jsonb_build_object('action', 'cancel', 'workflowId', 'execution:' || l.id, 'reason', $2::text),
                    'execution/' || l.project_id
               FROM locked l
           )
           SELECT l.id FROM locked l, steps`,
    values: [ids, reason],
  });
  return rows.map(({ id }) => id);
}

export interface CanceledPage {
  canceled: number;
  /** The last contact of the page, after which the next page starts; null for the last page. */
  lastContactId: string | null;
}

/** Cancels a workflow's active executions for the next `limit` contacts after `afterContactId`, in the order of ids. */
export async function cancelPageOfWorkflow(
  tx: Queryable,
  workflowId: string,
  afterContactId: string,
  limit: number,
  reason: string,
): Promise<CanceledPage> {
  const { rows } = await tx.query<CanceledPage>({
    name: 'executions-cancel-page',
    // `page` is read before the locks, so that an execution that ends meanwhile does not make the page look like the
    // last one.
    text: `WITH page AS MATERIALIZED (
             SELECT id, contact_id FROM workflow_executions
              WHERE workflow_id = $1 AND contact_id > $2::uuid AND status IN ('RUNNING', 'WAITING')
              ORDER BY contact_id LIMIT $3
           ), locked AS MATERIALIZED (
             SELECT x.id, x.project_id, x.step_execution_id FROM page JOIN workflow_executions x ON x.id = page.id
              WHERE x.status IN ('RUNNING', 'WAITING') ORDER BY x.contact_id FOR NO KEY UPDATE OF x
           ), execution AS (
             UPDATE workflow_executions x
                SET status = 'CANCELLED', exit_reason = $4, completed_at = greatest(now(), x.started_at),
                    step_execution_id = NULL, waiting_for = NULL, wake_at = NULL
               FROM locked l WHERE x.id = l.id
           ), steps AS MATERIALIZED (
             SELECT close_steps(ARRAY(SELECT step_execution_id FROM locked), 'CANCELLED', $4, NULL, now())
           ), intent AS (
             INSERT INTO outbox (workflow_id, action, payload, fairness_key)
             SELECT 'execution:' || l.id, 'cancel',
                    jsonb_build_object('action', 'cancel', 'workflowId', 'execution:' || l.id, 'reason', $4::text),
                    'execution/' || l.project_id
               FROM locked l
           )
           SELECT (SELECT count(*) FROM locked) AS canceled,
                  (SELECT contact_id FROM page ORDER BY contact_id OFFSET $3 - 1 LIMIT 1) AS "lastContactId"
             FROM steps`,
    values: [workflowId, afterContactId, limit, reason],
  });
  return rows[0] ?? { canceled: 0, lastContactId: null };
}

export async function hasWorkflow(db: Queryable, projectId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'execution-workflow',
    text: `SELECT FROM workflows WHERE project_id = $1 AND id = $2`,
    values: [projectId, id],
  });
  return rowCount === 1;
}
