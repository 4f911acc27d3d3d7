/** SQL of reputation: counts over periods, marks of projects that were enabled again, and projects to check. */
import type { Queryable } from '../../db/pool.js';

/** The counts of one period: accepted emails and the feedback on them. */
export interface PeriodRow {
  sent: number;
  /** Permanent bounces. */
  bounces: number;
  transientBounces: number;
  complaints: number;
}

export interface ReputationRow {
  projectId: string;
  disabled: boolean;
  disabledReason: string | null;
  disabledAt: Date | null;
  /** By the hour of the record. */
  last24Hours: PeriodRow;
  /** The current UTC day and the six days before it, by the time of the event. */
  last7Days: PeriodRow;
  allTime: PeriodRow;
  /** When the project was last enabled again; null if never. */
  enabledAt: Date | null;
  /** The counts since then, or all counts. */
  sinceEnabled: PeriodRow;
  /** Whether `enabledAt` is within the last 7 days. */
  enabledThisWeek: boolean;
}

const WEEK_START = `(now() AT TIME ZONE 'UTC')::date - 7`;

const counts = (filter = ''): string =>
  `jsonb_build_object(
     'sent', coalesce(sum(f.sent) ${filter}, 0),
     'bounces', coalesce(sum(f.hard_bounced) ${filter}, 0),
     'transientBounces', coalesce(sum(f.bounced - f.hard_bounced) ${filter}, 0),
     'complaints', coalesce(sum(f.complained) ${filter}, 0))`;

/* One statement reads folded and unfolded figures, so a concurrent fold changes no sum. */
const SELECT_REPUTATIONS = `
SELECT p.id AS "projectId", p.disabled, p.disabled_reason AS "disabledReason", p.disabled_at AS "disabledAt",
       recent."last24Hours", total."last7Days", total."allTime", m.at AS "enabledAt",
       coalesce((m.at AT TIME ZONE 'UTC')::date > ${WEEK_START}, false) AS "enabledThisWeek",
       CASE WHEN m.at IS NULL THEN total."allTime" ELSE jsonb_build_object(
         'sent', (total."allTime" ->> 'sent')::bigint - m.sent,
         'bounces', (total."allTime" ->> 'bounces')::bigint - m.hard_bounced,
         'transientBounces', 0,
         'complaints', (total."allTime" ->> 'complaints')::bigint - m.complained) END AS "sinceEnabled"
  FROM projects p LEFT JOIN reputation_marks m ON m.project_id = p.id
 CROSS JOIN LATERAL (
   SELECT ${counts()} AS "allTime", ${counts(`FILTER (WHERE f.day > ${WEEK_START})`)} AS "last7Days" FROM (
     SELECT day, sent, bounced, hard_bounced, complained FROM project_days WHERE project_id = p.id
     UNION ALL SELECT day, sent, bounced, hard_bounced, complained FROM stat_deltas WHERE project_id = p.id) f
 ) total
 CROSS JOIN LATERAL (
   SELECT ${counts()} AS "last24Hours" FROM (
     SELECT sent, bounced, hard_bounced, complained FROM project_hours
      WHERE project_id = p.id AND hour >= date_trunc('hour', now() - interval '24 hours', 'UTC')
     UNION ALL SELECT sent, bounced, hard_bounced, complained FROM stat_deltas
      WHERE project_id = p.id AND created_at >= date_trunc('hour', now() - interval '24 hours', 'UTC')) f
 ) recent
 WHERE p.id = ANY ($1::uuid[])`;

/** Returns the current counts of projects. */
export async function selectReputations(db: Queryable, projectIds: string[]): Promise<ReputationRow[]> {
  const { rows } = await db.query<ReputationRow>({
    name: 'reputations',
    text: SELECT_REPUTATIONS,
    values: [projectIds],
  });
  return rows;
}

/** A project to check, with the ids of its rows in reputation_suspects. */
export interface Suspect {
  projectId: string;
  ids: number[];
}

/** Returns the projects of up to `limit` new permanent bounces and complaints, except those in `except`. */
export async function selectSuspects(db: Queryable, limit: number, except: string[]): Promise<Suspect[]> {
  const { rows } = await db.query<Suspect>({
    name: 'reputation-suspects',
    text: `SELECT project_id AS "projectId", array_agg(id) AS ids
             FROM (SELECT id, project_id FROM reputation_suspects
                    WHERE project_id <> ALL ($2::uuid[]) ORDER BY id LIMIT $1) s GROUP BY project_id`,
    values: [limit, except],
  });
  return rows;
}

/** Deletes checked rows. Rows that were inserted after the check stay. */
export async function deleteSuspects(db: Queryable, ids: number[]): Promise<void> {
  await db.query({
    name: 'reputation-suspects-delete',
    text: `DELETE FROM reputation_suspects WHERE id = ANY ($1::bigint[])`,
    values: [ids],
  });
}

/** Suspects all projects with a bad day this week: a rate also rises when good days leave the week first. */
export async function suspectBadWeeks(db: Queryable): Promise<void> {
  await db.query({
    name: 'reputation-suspect-week',
    text: `INSERT INTO reputation_suspects (project_id)
           SELECT DISTINCT d.project_id FROM project_days d JOIN projects p ON p.id = d.project_id AND NOT p.disabled
            WHERE d.day > ${WEEK_START} AND (d.hard_bounced > 0 OR d.complained > 0)`,
  });
}

/** Deletes up to `limit` expired hours. @returns how many */
export async function deleteOldHours(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'project-hours-delete',
    text: `DELETE FROM project_hours WHERE (project_id, hour) IN (
             SELECT project_id, hour FROM project_hours WHERE hour < now() - interval '48 hours' LIMIT $1)`,
    values: [limit],
  });
  return rowCount ?? 0;
}

/** A decision to disable a project, based on the figures since `enabledAt`. */
export interface DisableDecision {
  projectId: string;
  reason: string;
  enabledAt: Date | null;
}

/** Disables a project, unless it was disabled already or enabled since the decision. @returns whether it did */
export async function disableProject(
  db: Queryable,
  { projectId, reason, enabledAt }: DisableDecision,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'project-disable',
    text: `UPDATE projects p SET disabled = true, disabled_reason = $2, disabled_at = now(), updated_at = now()
            WHERE id = $1 AND NOT disabled
              AND (SELECT m.at FROM reputation_marks m WHERE m.project_id = p.id) IS NOT DISTINCT FROM $3::timestamptz`,
    values: [projectId, reason, enabledAt],
  });
  return rowCount === 1;
}

/** Enables a project and marks its counts, which then do not disable it again. @returns whether it was disabled */
export async function markEnabled(tx: Queryable, projectId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'project-enable',
    text: `UPDATE projects SET disabled = false, disabled_reason = NULL, disabled_at = NULL, updated_at = now()
            WHERE id = $1 AND disabled`,
    values: [projectId],
  });
  if (rowCount !== 1) return false;
  // A separate statement, so that it sees the counts committed while the first one waited for the lock.
  await tx.query({
    name: 'reputation-mark',
    text: `INSERT INTO reputation_marks AS m (project_id, at, sent, hard_bounced, complained)
           SELECT $1, now(), coalesce(sum(f.sent), 0), coalesce(sum(f.hard_bounced), 0), coalesce(sum(f.complained), 0)
             FROM (SELECT sent, hard_bounced, complained FROM project_days WHERE project_id = $1
                   UNION ALL SELECT sent, hard_bounced, complained FROM stat_deltas WHERE project_id = $1) f
           ON CONFLICT (project_id) DO UPDATE
             SET at = excluded.at, sent = excluded.sent, hard_bounced = excluded.hard_bounced,
                 complained = excluded.complained`,
    values: [projectId],
  });
  return true;
}
