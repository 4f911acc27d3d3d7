/** A project's end: what runs for it, and its rows. */
import type { Queryable } from '../pool.js';

/** Locks a project against new rows of its own; false when there is none. */
export async function lockProject(tx: Queryable, projectId: string): Promise<boolean> {
  const { rowCount } = await tx.query({ name: 'project-lock', text: `SELECT 1 FROM projects WHERE id = $1 FOR UPDATE`, values: [projectId] });
  return rowCount === 1;
}

/** The Temporal workflows of a project's campaigns, jobs and executions that are under way. */
export async function runningWorkflowIds(tx: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await tx.query<{ workflowId: string }>({
    name: 'project-running',
    // Drafts are locked too and looked at afterwards: one may be on its way to SENDING in a transaction that has not committed yet.
    text: `WITH locked AS MATERIALIZED (SELECT id, attempt, status FROM campaigns WHERE project_id = $1 ORDER BY id FOR UPDATE)
           SELECT 'campaign:' || id || ':' || attempt AS "workflowId" FROM locked WHERE status IN ('SCHEDULED', 'SENDING')
           UNION ALL
           SELECT lower(kind::text) || ':' || id FROM jobs WHERE project_id = $1 AND state IN ('waiting', 'active')
           UNION ALL
           SELECT 'execution:' || id FROM workflow_executions WHERE project_id = $1 AND status IN ('RUNNING', 'WAITING')`,
    values: [projectId],
  });
  return rows.map((row) => row.workflowId);
}

/** The Temporal workflows that watch over a project's domains. */
export async function domainWorkflowIds(tx: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await tx.query<{ workflowId: string }>({
    name: 'project-domain-workflows',
    text: `SELECT 'domain:' || id AS "workflowId" FROM domains WHERE project_id = $1`,
    values: [projectId],
  });
  return rows.map((row) => row.workflowId);
}

/**
 * The tables to empty before the project goes. Its foreign keys take the other rows along; these have none to it (the first three), or are
 * referred to without a cascade, so that their users have to go first: emails of contacts and campaigns, steps and campaigns of templates.
 */
const BEFORE_THE_PROJECT = ['idempotency_keys', 'rate_windows', 'send_buckets', 'emails', 'workflows', 'campaigns'];

/** Deletes a project with every row of it. */
export async function deleteProjectRows(tx: Queryable, projectId: string): Promise<void> {
  for (const table of BEFORE_THE_PROJECT) await tx.query({ name: `project-delete-${table}`, text: `DELETE FROM ${table} WHERE project_id = $1`, values: [projectId] });
  await tx.query({ name: 'project-delete', text: `DELETE FROM projects WHERE id = $1`, values: [projectId] });
}
