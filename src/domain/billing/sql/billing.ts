/**
 * Usage and limits of projects. The triggers count_usage and return_usage on emails (src/db/functions) count and check
 * them.
 */
import { sqlState } from '../../../db/errors.js';
import type { Queryable } from '../../../db/pool.js';

/** Of the emails that are counted, by where they come from. */
export type UsageSource = 'TRANSACTIONAL' | 'CAMPAIGN' | 'WORKFLOW';

/**
 * Whether a statement was refused because a project's limit does not allow its emails (raised by the trigger on
 * emails): nothing of it was written.
 */
export const isOverLimit = (error: unknown): boolean => sqlState(error) === 'SL003';

export interface UsageRow {
  source: UsageSource;
  /** null: none. */
  limit: number | null;
  usage: number;
}

/** SQL: the usage of the project `p` this month, and its limits. */
const USAGE = `unnest('{TRANSACTIONAL,CAMPAIGN,WORKFLOW}'::email_source[]) AS s(source)
  CROSS JOIN LATERAL (SELECT usage_limit(p, s.source) AS "limit", usage_of(p.id, s.source) AS usage) AS u`;

/** A project's limits and what it has used this month; empty when there is no such project. */
export async function readUsage(db: Queryable, projectId: string): Promise<UsageRow[]> {
  const { rows } = await db.query<UsageRow>({
    name: 'billing-usage',
    text: `SELECT s.source, u."limit", u.usage FROM projects p CROSS JOIN ${USAGE} WHERE p.id = $1`,
    values: [projectId],
  });
  return rows;
}

/** How many emails of a source projects may still send this month; those without a limit are missing. */
export async function readRoom(db: Queryable, projectIds: string[], source: UsageSource): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; room: number }>({
    name: 'billing-room',
    text: `SELECT p.id, greatest(0, usage_limit(p, $2::email_source) - usage_of(p.id, $2::email_source)) AS room
             FROM projects p WHERE p.id = ANY ($1::uuid[]) AND usage_limit(p, $2::email_source) IS NOT NULL`,
    values: [projectIds, source],
  });
  return new Map(rows.map(({ id, room }) => [id, room]));
}

/** New limits; undefined: stays, null: none. @returns false when there is no such project */
export async function updateLimits(
  db: Queryable,
  projectId: string,
  limits: Partial<Record<UsageSource, number | null>>,
): Promise<boolean> {
  const { TRANSACTIONAL, CAMPAIGN, WORKFLOW } = limits;
  const { rowCount } = await db.query({
    name: 'billing-limits-update',
    text: `UPDATE projects
              SET billing_limit_transactional = CASE WHEN $2 THEN $3 ELSE billing_limit_transactional END,
                  billing_limit_campaigns = CASE WHEN $4 THEN $5 ELSE billing_limit_campaigns END,
                  billing_limit_workflows = CASE WHEN $6 THEN $7 ELSE billing_limit_workflows END,
                  updated_at = now()
            WHERE id = $1`,
    values: [
      projectId,
      TRANSACTIONAL !== undefined,
      TRANSACTIONAL ?? null,
      CAMPAIGN !== undefined,
      CAMPAIGN ?? null,
      WORKFLOW !== undefined,
      WORKFLOW ?? null,
    ],
  });
  return rowCount === 1;
}

export interface DueNotice {
  projectId: string;
  projectName: string;
  source: UsageSource;
  /** Percent of the limit. */
  level: 80 | 100;
  limit: number;
  usage: number;
}

/**
 * Marks, in the caller's transaction, the projects that have reached 80% or 100% of a limit and have no notice for it
 * this month, and returns them. Concurrent calls return each once. A project that passes both levels gets the second.
 */
export async function takeNotices(tx: Queryable, limit: number): Promise<DueNotice[]> {
  const { rows } = await tx.query<DueNotice>({
    name: 'billing-notices',
    text: `WITH reached AS MATERIALIZED (
             SELECT p.id, p.name, s.source, l.level, u."limit", u.usage
               FROM projects p CROSS JOIN ${USAGE} CROSS JOIN (VALUES (80), (100)) AS l(level)
              WHERE (p.billing_limit_workflows IS NOT NULL OR p.billing_limit_campaigns IS NOT NULL
                OR p.billing_limit_transactional IS NOT NULL)
                AND NOT p.disabled AND u."limit" IS NOT NULL AND u.usage * 100 >= u."limit"::bigint * l.level
                AND u.usage > 0
                AND NOT EXISTS (SELECT FROM usage_notices n
                  WHERE n.project_id = p.id AND n.month = usage_month(now()) AND n.source = s.source
                    AND n.level = l.level)
              ORDER BY p.id, s.source, l.level LIMIT $1
           ), noted AS (
             INSERT INTO usage_notices (project_id, month, source, level) SELECT id, usage_month(now()), source, level
               FROM reached
             ON CONFLICT DO NOTHING RETURNING project_id, source, level
           )
           SELECT DISTINCT ON (r.id, r.source) r.id AS "projectId", r.name AS "projectName", r.source, r.level,
                  r."limit", r.usage
             FROM reached r JOIN noted n ON n.project_id = r.id AND n.source = r.source AND n.level = r.level
            ORDER BY r.id, r.source, r.level DESC`,
    values: [limit],
  });
  return rows;
}

/** Returns the addresses of a project's owner and admins. */
export async function managersOf(db: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>({
    name: 'billing-managers',
    text: `SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id
             WHERE m.project_id = $1 AND m.role IN ('OWNER', 'ADMIN') ORDER BY m.created_at, u.id`,
    values: [projectId],
  });
  return rows.map(({ email }) => email);
}
