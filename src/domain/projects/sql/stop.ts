/**
 * What runs for a project, ended: the rows of its campaigns, jobs and executions. Their Temporal workflows end by
 * intents.
 */
import type { Queryable } from '../../../db/pool.js';

/**
 * Cancels the campaigns that are scheduled or being sent.
 *
 * @returns those that it cancelled
 */
export async function cancelCampaignsOf(
  tx: Queryable,
  projectId: string,
): Promise<Array<{ id: string; attempt: number }>> {
  const { rows } = await tx.query<{ id: string; attempt: number }>({
    name: 'project-cancel-campaigns',
    // Drafts are locked too and looked at afterwards: one may be on its way to SENDING in a transaction that has not
    // committed yet.
    text: `WITH locked AS MATERIALIZED (SELECT id, status FROM campaigns WHERE project_id = $1 ORDER BY id FOR UPDATE)
           UPDATE campaigns c SET status = 'CANCELLED', updated_at = now()
             FROM locked l WHERE c.id = l.id AND l.status IN ('SCHEDULED', 'SENDING')
        RETURNING c.id, c.attempt`,
    values: [projectId],
  });
  return rows;
}

/** Cancels automation mail that is not handed over yet. @returns how many emails */
export async function cancelAutomationEmails(tx: Queryable, projectId: string, reason: string): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'project-cancel-automation',
    // It waits for nobody, as when a campaign is cancelled: a row that is claimed at this moment is on its way.
    text: `WITH due AS MATERIALIZED (
             SELECT id FROM emails WHERE project_id = $1 AND source = 'WORKFLOW' AND campaign_id IS NULL AND status = 'PENDING' FOR UPDATE SKIP LOCKED
           )
           UPDATE emails e SET status = 'CANCELLED', error = $2 FROM due WHERE e.id = due.id`,
    values: [projectId, reason],
  });
  return rowCount ?? 0;
}

/** Cancels everything else that no campaign sends, and is not handed over yet. @returns how many emails */
export async function cancelTransactionalEmails(tx: Queryable, projectId: string, reason: string): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'project-cancel-transactional',
    text: `WITH due AS MATERIALIZED (
             SELECT id FROM emails WHERE project_id = $1 AND (source = 'WORKFLOW') = false AND source <> 'PLATFORM' AND campaign_id IS NULL AND status = 'PENDING' FOR UPDATE SKIP LOCKED
           )
           UPDATE emails e SET status = 'CANCELLED', error = $2 FROM due WHERE e.id = due.id`,
    values: [projectId, reason],
  });
  return rowCount ?? 0;
}

/** Whether a project is disabled at this moment. */
export async function isProjectDisabled(db: Queryable, projectId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'project-disabled',
    text: `SELECT 1 FROM projects WHERE id = $1 AND disabled`,
    values: [projectId],
  });
  return rowCount === 1;
}

/**
 * Whether a project is disabled, held so that it stays as it is until the caller's transaction ends: whoever disables
 * it comes before, and is seen, or comes after and finds what the caller has written.
 */
export async function holdProject(tx: Queryable, projectId: string): Promise<{ disabled: boolean } | null> {
  const { rows } = await tx.query<{ disabled: boolean }>({
    name: 'project-hold',
    text: `SELECT disabled FROM projects WHERE id = $1 FOR KEY SHARE`,
    values: [projectId],
  });
  return rows[0] ?? null;
}

/**
 * Ends imports and bulk operations; waits for the chunk that is under way. @returns those that it ended, with the ids
 * of their Temporal workflows
 */
export async function cancelJobsOf(
  tx: Queryable,
  projectId: string,
): Promise<Array<{ id: string; workflowId: string }>> {
  const { rows } = await tx.query<{ id: string; workflowId: string }>({
    name: 'project-cancel-jobs',
    text: `UPDATE jobs SET state = 'cancelled', updated_at = now() WHERE project_id = $1 AND state IN ('waiting', 'active') RETURNING id, lower(kind::text) || ':' || id AS "workflowId"`,
    values: [projectId],
  });
  return rows;
}

/** The workflows of a project that have active executions. */
export async function busyWorkflowsOf(tx: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'project-busy-workflows',
    text: `SELECT id FROM workflows w WHERE project_id = $1 AND EXISTS (SELECT FROM workflow_executions x WHERE x.workflow_id = w.id AND x.status IN ('RUNNING', 'WAITING')) ORDER BY id`,
    values: [projectId],
  });
  return rows.map(({ id }) => id);
}

/** From now on no event starts an execution. */
export async function disableWorkflowsOf(tx: Queryable, projectId: string): Promise<void> {
  await tx.query({
    name: 'project-disable-workflows',
    text: `UPDATE workflows SET enabled = false, updated_at = now() WHERE project_id = $1 AND enabled`,
    values: [projectId],
  });
}
