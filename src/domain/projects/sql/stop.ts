/** Cancels a project's campaigns, jobs, and emails. Intents cancel their Temporal workflows. */
import type { Queryable } from '../../../db/pool.js';
import { QUEUE_OF } from '../../emails/sql/claim.js';

/** Cancels the scheduled and sending campaigns, and returns them. */
export async function cancelCampaignsOf(
  tx: Queryable,
  projectId: string,
): Promise<Array<{ id: string; attempt: number }>> {
  const { rows } = await tx.query<{ id: string; attempt: number }>({
    name: 'project-cancel-campaigns',
    // Drafts are locked before their status is checked, because an uncommitted transaction may be sending one.
    text: `WITH locked AS MATERIALIZED (SELECT id, status FROM campaigns WHERE project_id = $1 ORDER BY id FOR UPDATE)
           UPDATE campaigns c SET status = 'CANCELLED', updated_at = now()
             FROM locked l WHERE c.id = l.id AND l.status IN ('SCHEDULED', 'SENDING')
        RETURNING c.id, c.attempt`,
    values: [projectId],
  });
  return rows;
}

/** Cancels the pending emails of workflows. @returns the number of emails */
export async function cancelAutomationEmails(tx: Queryable, projectId: string, reason: string): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'project-cancel-automation',
    // Skips locked rows, as the cancellation of a campaign does: a worker is claiming them.
    text: `WITH due AS MATERIALIZED (
             SELECT id FROM emails
              WHERE ${QUEUE_OF('project_id')} = ${QUEUE_OF('$1::uuid')} AND (source = 'WORKFLOW') = true
                AND campaign_id IS NULL AND stage = 'PENDING'
                FOR UPDATE SKIP LOCKED
           )
           UPDATE emails e SET status = 'CANCELLED', error = $2 FROM due WHERE e.id = due.id`,
    values: [projectId, reason],
  });
  return rowCount ?? 0;
}

/** Cancels the pending transactional emails. @returns the number of emails */
export async function cancelTransactionalEmails(tx: Queryable, projectId: string, reason: string): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'project-cancel-transactional',
    text: `WITH due AS MATERIALIZED (
             SELECT id FROM emails
              WHERE ${QUEUE_OF('project_id')} = ${QUEUE_OF('$1::uuid')} AND (source = 'WORKFLOW') = false AND source <> 'PLATFORM'
                AND campaign_id IS NULL AND stage = 'PENDING'
                FOR UPDATE SKIP LOCKED
           )
           UPDATE emails e SET status = 'CANCELLED', error = $2 FROM due WHERE e.id = due.id`,
    values: [projectId, reason],
  });
  return rowCount ?? 0;
}

/** Cancels the scheduled emails of no campaign. @returns the number of emails */
export async function cancelScheduledEmails(tx: Queryable, projectId: string, reason: string): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'project-cancel-scheduled',
    text: `WITH waiting AS MATERIALIZED (
             SELECT id FROM emails
              WHERE (source = 'WORKFLOW') IN (false, true) AND ${QUEUE_OF('project_id')} = ${QUEUE_OF('$1::uuid')}
                AND campaign_id IS NULL AND stage = 'SCHEDULED'
              ORDER BY id FOR NO KEY UPDATE
           )
           UPDATE emails e SET status = 'CANCELLED', error = $2 FROM waiting w WHERE e.id = w.id AND e.status = 'SCHEDULED'`,
    values: [projectId, reason],
  });
  return rowCount ?? 0;
}

/** Whether a project is disabled. */
export async function isProjectDisabled(db: Queryable, projectId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'project-disabled',
    text: `SELECT 1 FROM projects WHERE id = $1 AND disabled`,
    values: [projectId],
  });
  return rowCount === 1;
}

/**
 * Locks a project FOR KEY SHARE until the end of the transaction, and returns whether it is disabled. The transaction
 * that disables the project then either comes first and is seen here, or comes later and sees the caller's rows.
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
 * Cancels imports and bulk operations, after waiting for their current chunk.
 *
 * @returns the canceled jobs, with the ids of their Temporal workflows
 */
export async function cancelJobsOf(
  tx: Queryable,
  projectId: string,
): Promise<Array<{ id: string; workflowId: string }>> {
  const { rows } = await tx.query<{ id: string; workflowId: string }>({
    name: 'project-cancel-jobs',
    text: `UPDATE jobs SET state = 'cancelled', ended_at = clock_timestamp(), updated_at = now()
            WHERE project_id = $1 AND state IN ('waiting', 'active')
        RETURNING id, lower(kind::text) || ':' || id AS "workflowId"`,
    values: [projectId],
  });
  return rows;
}

/** Returns the ids of a project's workflows with active executions. */
export async function busyWorkflowsOf(tx: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'project-busy-workflows',
    text: `SELECT id FROM workflows w
            WHERE project_id = $1
              AND EXISTS (
                SELECT FROM workflow_executions x WHERE x.workflow_id = w.id AND x.status IN ('RUNNING', 'WAITING')
              )
            ORDER BY id`,
    values: [projectId],
  });
  return rows.map(({ id }) => id);
}

/** Disables all workflows of a project, so that events start no executions. */
export async function disableWorkflowsOf(tx: Queryable, projectId: string): Promise<void> {
  await tx.query({
    name: 'project-disable-workflows',
    text: `UPDATE workflows SET enabled = false, updated_at = now() WHERE project_id = $1 AND enabled`,
    values: [projectId],
  });
}
