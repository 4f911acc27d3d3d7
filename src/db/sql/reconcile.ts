/** The rows that should have a running Temporal workflow. */
import type { Queryable } from '../pool.js';

export interface RunningCampaignRow {
  id: string;
  projectId: string;
  attempt: number;
  status: 'SCHEDULED' | 'SENDING';
  scheduledFor: Date | null;
}

export async function runningCampaigns(db: Queryable): Promise<RunningCampaignRow[]> {
  const { rows } = await db.query<RunningCampaignRow>(
    `SELECT id, project_id AS "projectId", attempt, status, scheduled_for AS "scheduledFor" FROM campaigns WHERE status IN ('SCHEDULED', 'SENDING')`,
  );
  return rows;
}

export async function allDomains(db: Queryable): Promise<Array<{ id: string; projectId: string; domain: string }>> {
  const { rows } = await db.query<{ id: string; projectId: string; domain: string }>(`SELECT id, project_id AS "projectId", domain FROM domains`);
  return rows;
}
