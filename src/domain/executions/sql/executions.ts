/**
 * Executions of workflows: starting and cancelling them from outside. Their own way through the graph is in
 * execution-run.ts.
 */
import { currentTrace } from '../../../trace.js';
import type { Queryable } from '../../../db/pool.js';

export interface NewExecution {
  id: string;
  projectId: string;
  workflowId: string;
  /** null: one that nobody has. */
  contactId: string | null;
  context: Record<string, unknown>;
}

/** What a start met, in the order in which it is refused. */
export type Start =
  | 'no workflow'
  | 'no contact'
  | 'project disabled'
  | 'workflow disabled'
  | 'entered before'
  | 'active'
  | 'started';

/**
 * Starts an execution with its intent, in one statement, unless something is in the way.
 *
 * Workflow, contact and project are held as the execution's foreign keys would hold them: a workflow or a contact that
 * is being deleted is waited for and is then not there, and a project that is being disabled
 * (src/domain/projects/stop.ts) either refuses this or sees its row. The unique indexes let one of several starts at
 * once through, events among them.
 */
export async function startExecution(
  db: Queryable,
  { id, projectId, workflowId, contactId, context }: NewExecution,
): Promise<Start> {
  const { rows } = await db.query<{ start: Start }>({
    name: 'execution-start',
    text: `WITH contact AS MATERIALIZED (
             SELECT id FROM contacts WHERE project_id = $2 AND id = $4 FOR KEY SHARE
           ), workflow AS MATERIALIZED (
             SELECT id, enabled, allow_reentry FROM workflows WHERE project_id = $2 AND id = $3 FOR KEY SHARE
           ), project AS MATERIALIZED (
             SELECT disabled FROM projects WHERE id = $2 FOR KEY SHARE
           ), begun AS (
             INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, context, entry_key)
             SELECT $1, $2, w.id, c.id, $5::jsonb, CASE WHEN NOT w.allow_reentry THEN w.id END
               FROM contact c, workflow w, project p
              WHERE w.enabled AND NOT p.disabled
                AND (w.allow_reentry OR NOT EXISTS (SELECT FROM workflow_executions x WHERE x.project_id = $2 AND x.contact_id = $4 AND x.workflow_id = $3))
             ON CONFLICT DO NOTHING
             RETURNING id, project_id, workflow_id, contact_id
           ), intent AS (
             INSERT INTO outbox (workflow_id, action, payload, fairness_key)
             SELECT 'execution:' || b.id, 'start', execution_start(b.id, b.project_id, b.workflow_id, b.contact_id) || CASE WHEN $6::text IS NULL THEN '{}' ELSE jsonb_build_object('trace', $6::text) END,
                    'execution/' || b.project_id
               FROM begun b
           )
           SELECT CASE WHEN NOT EXISTS (SELECT FROM workflow) THEN 'no workflow'
                       WHEN NOT EXISTS (SELECT FROM contact) THEN 'no contact'
                       WHEN NOT EXISTS (SELECT FROM project WHERE NOT disabled) THEN 'project disabled'
                       WHEN NOT EXISTS (SELECT FROM workflow WHERE enabled) THEN 'workflow disabled'
                       WHEN EXISTS (SELECT FROM begun) THEN 'started'
                       WHEN EXISTS (SELECT FROM workflow WHERE allow_reentry) THEN 'active'
                       ELSE 'entered before' END AS start`,
    values: [id, projectId, workflowId, contactId, JSON.stringify(context), currentTrace()],
  });
  return rows[0]?.start ?? 'no workflow';
}

/**
 * SQL: cancels the executions of `held` (id, project_id, open: the step execution that is under way), which are active
 * and locked, each with the intent that ends its Temporal workflow. `reason` is a parameter.
 */
const cancelHeld = (reason: string): string => `
execution AS (
  UPDATE workflow_executions x
     SET status = 'CANCELLED', exit_reason = ${reason}, completed_at = greatest(now(), x.started_at), step_execution_id = NULL, waiting_for = NULL, wake_at = NULL
    FROM held h WHERE x.id = h.id
), step AS (
  UPDATE step_executions s
     SET status = 'CANCELLED', output = coalesce(s.output, '{}') || jsonb_build_object('summary', ${reason}::text), completed_at = greatest(now(), s.started_at)
    FROM held h WHERE s.project_id = h.project_id AND s.id = h.open
), intent AS (
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT 'execution:' || h.id, 'cancel', jsonb_build_object('action', 'cancel', 'workflowId', 'execution:' || h.id, 'reason', ${reason}::text), 'execution/' || h.project_id FROM held h
)`;

/** Cancels those of these executions that are active. @returns their ids */
export async function cancelExecutionRows(tx: Queryable, ids: string[], reason: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'executions-cancel',
    text: `WITH held AS MATERIALIZED (
             SELECT id, project_id, step_execution_id AS open FROM workflow_executions
              WHERE id = ANY ($1::uuid[]) AND status IN ('RUNNING', 'WAITING') ORDER BY contact_id FOR NO KEY UPDATE
           ), ${cancelHeld('$2')}
           SELECT id FROM held`,
    values: [ids, reason],
  });
  return rows.map(({ id }) => id);
}

export interface CancelledPage {
  cancelled: number;
  /** Where the next page begins; null when there is none. */
  after: string | null;
}

/** Cancels the active executions of a workflow for the next `limit` contacts, by their ids, above `after`. */
export async function cancelPageOfWorkflow(
  tx: Queryable,
  workflowId: string,
  after: string,
  limit: number,
  reason: string,
): Promise<CancelledPage> {
  const { rows } = await tx.query<CancelledPage>({
    name: 'executions-cancel-page',
    // A look first, and then the locks: one that has ended meanwhile must not make the page look like the last one.
    text: `WITH page AS MATERIALIZED (
             SELECT id, contact_id FROM workflow_executions
              WHERE workflow_id = $1 AND contact_id > $2::uuid AND status IN ('RUNNING', 'WAITING') ORDER BY contact_id LIMIT $3
           ), held AS MATERIALIZED (
             SELECT x.id, x.project_id, x.step_execution_id AS open FROM page JOIN workflow_executions x ON x.id = page.id
              WHERE x.status IN ('RUNNING', 'WAITING') ORDER BY x.contact_id FOR NO KEY UPDATE OF x
           ), ${cancelHeld('$4')}
           SELECT (SELECT count(*) FROM held) AS cancelled, (SELECT contact_id FROM page ORDER BY contact_id OFFSET $3 - 1 LIMIT 1) AS after`,
    values: [workflowId, after, limit, reason],
  });
  return rows[0] ?? { cancelled: 0, after: null };
}

/** Whether the project has this workflow. */
export async function hasWorkflow(db: Queryable, projectId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'execution-workflow',
    text: `SELECT FROM workflows WHERE project_id = $1 AND id = $2`,
    values: [projectId, id],
  });
  return rowCount === 1;
}
