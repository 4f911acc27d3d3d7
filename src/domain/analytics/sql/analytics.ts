/**
 * Figures of projects and campaigns from daily rollups and unfolded deltas. Their cost does not depend on the number of
 * emails and events.
 */
import type { CampaignStatus } from '../../../generated/prisma/enums.js';
import type { Queryable } from '../../../db/pool.js';
import { rolledUp, type DayRange, type EventCount } from '../../events/sql/days.js';

/** UTC days in the form `2026-03-10`, both included. */
export interface Days {
  first: string;
  last: string;
}

const FIGURES = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'workflows_started'] as const;
const list = (write: (name: string) => string): string => FIGURES.map(write).join(', ');

const COUNTED = `SELECT project_id, day, ${list((name) => name)} FROM project_days
                   UNION ALL SELECT project_id, day, ${list((name) => name)} FROM stat_deltas`;
/** Without the figures from before the project's last reset. */
const ROLLED_UP = `(${COUNTED} UNION ALL SELECT project_id, day, ${list((name) => `-${name}`)} FROM cleared_days)`;

/**
 * Resets a project's figures, except those used for its reputation, which reads the days directly. The caller has
 * locked the project and deleted its emails, so no feedback about them can follow.
 */
export async function clearDays(tx: Queryable, projectId: string): Promise<void> {
  await tx.query({
    name: 'analytics-clear',
    text: `INSERT INTO cleared_days (project_id, day, ${list((name) => name)})
           SELECT project_id, day, ${list((name) => `sum(${name})`)} FROM (${COUNTED}) AS counted WHERE project_id = $1
             GROUP BY project_id, day
           ON CONFLICT (project_id, day) DO UPDATE SET ${list((name) => `${name} = excluded.${name}`)}`,
    values: [projectId],
  });
}

export interface DayOfProject {
  date: string;
  sent: number;
  delivered: number;
  opens: number;
  clicks: number;
  bounces: number;
  complaints: number;
}

/** Returns a row per day, with zeros for days without figures. */
export async function selectDays(db: Queryable, projectId: string, { first, last }: Days): Promise<DayOfProject[]> {
  const { rows } = await db.query<DayOfProject>({
    name: 'analytics-days',
    text: `SELECT to_char(d.day, 'YYYY-MM-DD') AS date, coalesce(sum(f.sent), 0)::bigint AS sent,
                  coalesce(sum(f.delivered), 0)::bigint AS delivered, coalesce(sum(f.opened), 0)::bigint AS opens,
                  coalesce(sum(f.clicked), 0)::bigint AS clicks, coalesce(sum(f.bounced), 0)::bigint AS bounces,
                  coalesce(sum(f.complained), 0)::bigint AS complaints
             FROM (SELECT $2::date + n AS day FROM generate_series(0, $3::date - $2::date) n) d
             LEFT JOIN ${ROLLED_UP} f ON f.project_id = $1 AND f.day = d.day AND f.day BETWEEN $2 AND $3
            GROUP BY d.day ORDER BY d.day`,
    values: [projectId, first, last],
  });
  return rows;
}

export interface ProjectTotals {
  sent: number;
  opened: number;
  clicked: number;
  workflowsStarted: number;
}

/** Returns a project's totals for emails and workflows on these days, or of all time. */
export async function sumDays(db: Queryable, projectId: string, { first, last }: DayRange): Promise<ProjectTotals> {
  const { rows } = await db.query<ProjectTotals>({
    name: 'analytics-totals',
    text: `SELECT coalesce(sum(sent), 0)::bigint AS sent, coalesce(sum(opened), 0)::bigint AS opened,
                  coalesce(sum(clicked), 0)::bigint AS clicked,
                  coalesce(sum(workflows_started), 0)::bigint AS "workflowsStarted"
             FROM ${ROLLED_UP} f WHERE project_id = $1 AND day >= coalesce($2::date, '-infinity')
               AND day <= coalesce($3::date, 'infinity')`,
    values: [projectId, first ?? null, last ?? null],
  });
  return rows[0] ?? { sent: 0, opened: 0, clicked: 0, workflowsStarted: 0 };
}

/** Returns the number of events on these days, or of all time, including events that retention has deleted. */
export async function countEventsOfDays(db: Queryable, projectId: string, days: DayRange): Promise<number> {
  const values: unknown[] = [projectId];
  const { rows } = await db.query<{ count: number }>(
    `SELECT coalesce(sum(count), 0)::bigint AS count FROM ${rolledUp(days, values)} AS rolled`,
    values,
  );
  return rows[0]?.count ?? 0;
}

export interface EventTrend extends EventCount {
  /** On the preceding days. */
  before: number;
}

/** Returns the most frequent events of these days, with their counts on the preceding days, from `before` on. */
export async function selectTopEvents(
  db: Queryable,
  projectId: string,
  { first, last }: Days,
  { before, limit }: { before: string; limit: number },
): Promise<EventTrend[]> {
  const values: unknown[] = [projectId];
  const rolled = rolledUp({ first: before, last }, values);
  const begin = `$${values.push(first)}::date`;
  const { rows } = await db.query<EventTrend>(
    `SELECT name, coalesce(sum(count) FILTER (WHERE day >= ${begin}), 0)::bigint AS count,
            coalesce(sum(count) FILTER (WHERE day < ${begin}), 0)::bigint AS before
       FROM ${rolled} AS rolled GROUP BY name HAVING sum(count) FILTER (WHERE day >= ${begin}) > 0
       ORDER BY count DESC, name LIMIT $${values.push(limit)}`,
    values,
  );
  return rows;
}

const CAMPAIGNS = `
  SELECT c.id, c.name, c.subject, c.status, c.sent_at, coalesce(c.started_at, c.sent_at, c.created_at) AS began_at,
         c.total_recipients,
         c.sent_count + coalesce(d.sent, 0) AS sent, c.delivered_count + coalesce(d.delivered, 0) AS delivered,
         c.opened_count + coalesce(d.opened, 0) AS opened,
         c.clicked_count + coalesce(d.clicked, 0) AS clicked, c.bounced_count + coalesce(d.bounced, 0) AS bounced
    FROM campaigns c
    LEFT JOIN (
      SELECT campaign_id, sum(sent) AS sent, sum(delivered) AS delivered, sum(opened) AS opened,
             sum(clicked) AS clicked, sum(bounced) AS bounced
        FROM stat_deltas WHERE project_id = $1 AND campaign_id IS NOT NULL GROUP BY campaign_id
    ) d ON d.campaign_id = c.id
   WHERE c.project_id = $1`;

export interface TopCampaign {
  id: string;
  name: string;
  subject: string;
  status: CampaignStatus;
  sentAt: Date | null;
  totalRecipients: number;
  sentCount: number;
  deliveredCount: number;
  openedCount: number;
  clickedCount: number;
  bouncedCount: number;
}

/**
 * Returns the campaigns with the most openings that started between `from` and `until` (exclusive), newer ones first.
 */
export async function selectTopCampaigns(
  db: Queryable,
  projectId: string,
  { from, until, limit }: { from?: Date; until?: Date; limit: number },
): Promise<TopCampaign[]> {
  const { rows } = await db.query<TopCampaign>({
    name: 'analytics-top-campaigns',
    text: `SELECT id, name, subject, status, sent_at AS "sentAt", total_recipients AS "totalRecipients",
                  sent AS "sentCount", delivered AS "deliveredCount", opened AS "openedCount",
                  clicked AS "clickedCount", bounced AS "bouncedCount"
             FROM (${CAMPAIGNS}) c
            WHERE sent > 0 AND began_at >= coalesce($2::timestamptz, '-infinity')
              AND began_at < coalesce($3::timestamptz, 'infinity')
            ORDER BY opened DESC, clicked DESC, began_at DESC, id LIMIT $4`,
    values: [projectId, from?.toISOString() ?? null, until?.toISOString() ?? null, limit],
  });
  return rows;
}

export interface CampaignsSummary {
  total: number;
  active: number;
  completed: number;
  averageOpenRate: number;
  averageClickRate: number;
}

/** Counts all campaigns of a project. The averages are over completed campaigns with at least one sent email. */
export async function summarizeCampaigns(db: Queryable, projectId: string): Promise<CampaignsSummary> {
  const { rows } = await db.query<CampaignsSummary>({
    name: 'analytics-campaigns',
    text: `SELECT count(*) AS total, count(*) FILTER (WHERE status IN ('SCHEDULED', 'SENDING')) AS active,
                  count(*) FILTER (WHERE status = 'SENT') AS completed,
                  coalesce(avg(opened::float8 / sent)
                    FILTER (WHERE status = 'SENT' AND sent > 0), 0) AS "averageOpenRate",
                  coalesce(avg(clicked::float8 / sent)
                    FILTER (WHERE status = 'SENT' AND sent > 0), 0) AS "averageClickRate"
             FROM (${CAMPAIGNS}) c`,
    values: [projectId],
  });
  return rows[0] ?? { total: 0, active: 0, completed: 0, averageOpenRate: 0, averageClickRate: 0 };
}
