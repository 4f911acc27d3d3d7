/**
 * What reputation is made of: counts over periods, the marks of projects that were enabled again, and who is to be
 * looked at.
 */
import type { Queryable } from '../../db/pool.js';

/** Counts of one period: emails that a mail server has taken, and what came back. */
export interface PeriodRow {
  sent: number;
  /** Those that bounced for good. */
  bounces: number;
  transientBounces: number;
  complaints: number;
}

export interface ReputationRow {
  projectId: string;
  disabled: boolean;
  disabledReason: string | null;
  disabledAt: Date | null;
  /** To the hour, by when it was recorded. */
  last24Hours: PeriodRow;
  /** This UTC day and the six before it, by when it happened. */
  last7Days: PeriodRow;
  allTime: PeriodRow;
  /** When the project was last enabled again; null when it never was. */
  enabledAt: Date | null;
  /** What came since then; all of it where it never was. */
  sinceEnabled: PeriodRow;
  /** Whether that was within the last 7 days. */
  enabledThisWeek: boolean;
}

const THIS_WEEK = `(now() AT TIME ZONE 'UTC')::date - 7`;

const counts = (filter = ''): string =>
  `jsonb_build_object('sent', coalesce(sum(f.sent) ${filter}, 0), 'bounces', coalesce(sum(f.hard_bounced) ${filter}, 0),
       'transientBounces', coalesce(sum(f.bounced - f.hard_bounced) ${filter}, 0), 'complaints', coalesce(sum(f.complained) ${filter}, 0))`;

/* What is folded and what is not, in one statement: a fold moves figures, and changes no sum. */
const REPUTATION = `
SELECT p.id AS "projectId", p.disabled, p.disabled_reason AS "disabledReason", p.disabled_at AS "disabledAt",
       recent."last24Hours", total."last7Days", total."allTime", m.at AS "enabledAt", coalesce((m.at AT TIME ZONE 'UTC')::date > ${THIS_WEEK}, false) AS "enabledThisWeek",
       CASE WHEN m.at IS NULL THEN total."allTime" ELSE jsonb_build_object(
         'sent', (total."allTime" ->> 'sent')::bigint - m.sent, 'bounces', (total."allTime" ->> 'bounces')::bigint - m.hard_bounced,
         'transientBounces', 0, 'complaints', (total."allTime" ->> 'complaints')::bigint - m.complained) END AS "sinceEnabled"
  FROM projects p LEFT JOIN reputation_marks m ON m.project_id = p.id
 CROSS JOIN LATERAL (
   SELECT ${counts()} AS "allTime", ${counts(`FILTER (WHERE f.day > ${THIS_WEEK})`)} AS "last7Days" FROM (
     SELECT day, sent, bounced, hard_bounced, complained FROM project_days WHERE project_id = p.id
     UNION ALL SELECT day, sent, bounced, hard_bounced, complained FROM stat_deltas WHERE project_id = p.id) f
 ) total
 CROSS JOIN LATERAL (
   SELECT ${counts()} AS "last24Hours" FROM (
     SELECT sent, bounced, hard_bounced, complained FROM project_hours WHERE project_id = p.id AND hour >= date_trunc('hour', now() - interval '24 hours', 'UTC')
     UNION ALL SELECT sent, bounced, hard_bounced, complained FROM stat_deltas WHERE project_id = p.id AND created_at >= date_trunc('hour', now() - interval '24 hours', 'UTC')) f
 ) recent
 WHERE p.id = ANY ($1::uuid[])`;

/** The counts of projects as of now. */
export async function selectReputations(db: Queryable, projectIds: string[]): Promise<ReputationRow[]> {
  const { rows } = await db.query<ReputationRow>({ name: 'reputations', text: REPUTATION, values: [projectIds] });
  return rows;
}

/** A project with news, and the rows that say so. */
export interface Suspect {
  projectId: string;
  ids: number[];
}

/** Projects with a new permanent bounce or complaint; of up to `limit` news, without those of `except`. */
export async function selectSuspects(db: Queryable, limit: number, except: string[]): Promise<Suspect[]> {
  const { rows } = await db.query<Suspect>({
    name: 'reputation-suspects',
    text: `SELECT project_id AS "projectId", array_agg(id) AS ids
             FROM (SELECT id, project_id FROM reputation_suspects WHERE project_id <> ALL ($2::uuid[]) ORDER BY id LIMIT $1) s GROUP BY project_id`,
    values: [limit, except],
  });
  return rows;
}

/** Done with these news; what came since they were read stays. */
export async function deleteSuspects(db: Queryable, ids: number[]): Promise<void> {
  await db.query({
    name: 'reputation-suspects-delete',
    text: `DELETE FROM reputation_suspects WHERE id = ANY ($1::bigint[])`,
    values: [ids],
  });
}

/** Suspects projects without news: a rate rises too when the good days before the bad ones leave the week. */
export async function suspectAnew(db: Queryable): Promise<void> {
  await db.query({
    name: 'reputation-suspect-anew',
    text: `INSERT INTO reputation_suspects (project_id)
           SELECT DISTINCT d.project_id FROM project_days d JOIN projects p ON p.id = d.project_id AND NOT p.disabled
            WHERE d.day > ${THIS_WEEK} AND (d.hard_bounced > 0 OR d.complained > 0)`,
  });
}

/** Hours that no rate counts any more. @returns how many */
export async function deleteOldHours(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'project-hours-delete',
    text: `DELETE FROM project_hours WHERE (project_id, hour) IN (SELECT project_id, hour FROM project_hours WHERE hour < now() - interval '48 hours' LIMIT $1)`,
    values: [limit],
  });
  return rowCount ?? 0;
}

/** A decision to disable a project, by the figures since `enabledAt`. */
export interface Disabling {
  projectId: string;
  reason: string;
  enabledAt: Date | null;
}

/** Disables a project, unless it is so already or was enabled again since the decision. @returns whether it did */
export async function disableProject(db: Queryable, { projectId, reason, enabledAt }: Disabling): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'project-disable',
    text: `UPDATE projects p SET disabled = true, disabled_reason = $2, disabled_at = now(), updated_at = now()
            WHERE id = $1 AND NOT disabled AND (SELECT m.at FROM reputation_marks m WHERE m.project_id = p.id) IS NOT DISTINCT FROM $3::timestamptz`,
    values: [projectId, reason, enabledAt],
  });
  return rowCount === 1;
}

/**
 * Enables a project, and marks its counts: what came before doesn't disable it again. @returns whether it was disabled
 */
export async function markEnabled(tx: Queryable, projectId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'project-enable',
    text: `UPDATE projects SET disabled = false, disabled_reason = NULL, disabled_at = NULL, updated_at = now() WHERE id = $1 AND disabled`,
    values: [projectId],
  });
  if (rowCount !== 1) return false;
  // A statement of its own, which sees what was counted while the first one waited for the project.
  await tx.query({
    name: 'reputation-mark',
    text: `INSERT INTO reputation_marks AS m (project_id, at, sent, hard_bounced, complained)
           SELECT $1, now(), coalesce(sum(f.sent), 0), coalesce(sum(f.hard_bounced), 0), coalesce(sum(f.complained), 0) FROM (
             SELECT sent, hard_bounced, complained FROM project_days WHERE project_id = $1
             UNION ALL SELECT sent, hard_bounced, complained FROM stat_deltas WHERE project_id = $1) f
           ON CONFLICT (project_id) DO UPDATE SET at = excluded.at, sent = excluded.sent, hard_bounced = excluded.hard_bounced, complained = excluded.complained`,
    values: [projectId],
  });
  return true;
}
