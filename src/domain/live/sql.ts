/** The statements of the topics with figures. */
import type { Queryable } from '../../db/pool.js';
import { PENDING_EMAILS } from '../delivery/sql/campaigns.js';

export async function countWorkflows(db: Queryable, projectId: string, ids: string[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'live-count-workflows',
    text: 'SELECT count(*) AS count FROM workflows WHERE project_id = $1 AND id = ANY ($2::uuid[])',
    values: [projectId, ids],
  });
  return rows[0]?.count ?? 0;
}

export interface CampaignRow {
  id: string;
  status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'CANCELLED';
  totalRecipients: number;
  sentCount: number;
  failedCount: number;
  pendingCount: number;
  /** The due time of the next retry, if nothing but retries is left; otherwise null. */
  nextRetryAt: Date | null;
  attempt: number;
}

/** Campaigns in one message of progress; a project rarely has more than a few active ones. */
const MAX_CAMPAIGNS = 200;

/**
 * Returns the campaigns that are scheduled or sending, those with the given ids, and those that ended since a time.
 *
 * One snapshot, so that the counts fit together. Failed emails are only counted if the other counts leave room for any.
 */
export async function selectCampaignProgress(
  db: Queryable,
  projectId: string,
  ids: string[],
  endedSince: Date,
): Promise<CampaignRow[]> {
  const { rows } = await db.query<CampaignRow>({
    name: 'live-campaigns',
    text: `
WITH wanted AS MATERIALIZED (
  SELECT id FROM campaigns WHERE project_id = $1 AND status IN ('SCHEDULED', 'SENDING')
  UNION SELECT id FROM campaigns WHERE project_id = $1 AND id = ANY ($2::uuid[])
  UNION SELECT id FROM campaigns WHERE project_id = $1 AND sent_at >= $3
  UNION SELECT id FROM campaigns WHERE project_id = $1 AND status = 'CANCELLED' AND updated_at >= $3
  LIMIT ${MAX_CAMPAIGNS}
)
SELECT c.id, c.status, c.attempt, c.total_recipients AS "totalRecipients", n.sent AS "sentCount", n.pending AS "pendingCount",
       CASE WHEN c.total_recipients > n.sent + n.pending
            THEN (SELECT count(*) FILTER (WHERE NOT e.ambiguous) FROM emails e WHERE e.campaign_id = c.id AND e.stage = 'FAILED')
            ELSE 0 END AS "failedCount",
       CASE WHEN c.status = 'SENDING' AND c.snapshot_done AND n.pending > 0 AND NOT EXISTS (
                   SELECT FROM campaign_chunks k WHERE k.campaign_id = c.id AND k.closed_at IS NULL)
            THEN (SELECT min(r.due_at) FROM campaign_retries r WHERE r.campaign_id = c.id) END AS "nextRetryAt"
  FROM wanted JOIN campaigns c USING (id)
 CROSS JOIN LATERAL (
   SELECT c.sent_count + coalesce((SELECT sum(d.sent) FROM stat_deltas d
                                    WHERE d.project_id = $1 AND d.campaign_id = c.id), 0) AS sent,
          CASE WHEN c.status = 'SENDING' AND (c.variants IS NOT NULL OR EXISTS (SELECT FROM campaign_waves w WHERE w.campaign_id = c.id))
               -- Up to all of its emails can be scheduled for a day. They are not counted each second.
               THEN greatest(0, c.total_recipients - c.sent_count
                      - coalesce((SELECT sum(d.sent) FROM stat_deltas d WHERE d.project_id = $1 AND d.campaign_id = c.id), 0)
                      - (SELECT count(*) FROM emails e WHERE e.campaign_id = c.id AND e.stage IN ('FAILED', 'CANCELLED')))
               WHEN c.status IN ('SENDING', 'CANCELLED') THEN ${PENDING_EMAILS('c.id')} ELSE 0 END AS pending) AS n
 ORDER BY c.id`,
    values: [projectId, ids, endedSince],
  });
  return rows;
}

export interface WaitingRow {
  stepId: string;
  waiting: number;
}

/** Counts the executions of a workflow that are at each step. */
export async function countAtSteps(db: Queryable, projectId: string, workflowId: string): Promise<WaitingRow[]> {
  const { rows } = await db.query<WaitingRow>({
    name: 'live-workflow',
    text: `SELECT s.id AS "stepId", coalesce(n.waiting, 0) AS waiting
             FROM workflow_steps s LEFT JOIN (
               SELECT current_step_id, count(*) AS waiting FROM workflow_executions
                WHERE workflow_id = $2 AND project_id = $1 AND status IN ('RUNNING', 'WAITING') GROUP BY current_step_id
             ) AS n ON n.current_step_id = s.id
            WHERE s.project_id = $1 AND s.workflow_id = $2 ORDER BY s.id`,
    values: [projectId, workflowId],
  });
  return rows;
}
