/**
 * Figures: each statement that changes an email appends deltas, which are folded into days and campaigns later, because
 * a row that every open increments would serialize them. Readers add rollups and unfolded deltas in one statement, so a
 * fold does not change a sum.
 */
import type { Queryable } from '../../../db/pool.js';

/** The columns of stat_deltas and project_days. */
const FIGURES = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'hard_bounced',
  'complained',
  'workflows_started',
  'workflows_gone',
] as const;
/** The columns of project_hours. */
const OF_HOURS = ['sent', 'bounced', 'hard_bounced', 'complained'] as const;
/** The figures for which a campaign has counters, named `<figure>_count`. */
const OF_CAMPAIGNS = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;
/** The figures of variants. */
export const OF_VARIANTS = ['recipients', 'sent', 'delivered', 'opened', 'clicked'] as const;

const list = (names: readonly string[], write: (name: string) => string): string => names.map(write).join(', ');

const FOLD = `
WITH turn AS MATERIALIZED (
  -- One fold at a time: concurrent folds would wait for each other's days and campaigns.
  SELECT pg_try_advisory_xact_lock(hashtextextended('fold figures', 0)) AS mine
), taken AS (
  DELETE FROM stat_deltas WHERE id = ANY (ARRAY(SELECT id FROM stat_deltas WHERE (SELECT mine FROM turn) ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING *
), days AS (
  INSERT INTO project_days AS d (project_id, day, ${list(FIGURES, (name) => name)})
  -- Deltas of a deleted project are dropped.
  SELECT t.project_id, t.day, ${list(FIGURES, (name) => `sum(t.${name})`)} FROM taken t JOIN projects p ON p.id = t.project_id GROUP BY t.project_id, t.day ORDER BY t.project_id, t.day
  ON CONFLICT (project_id, day) DO UPDATE SET ${list(FIGURES, (name) => `${name} = d.${name} + excluded.${name}`)}
), hours AS (
  -- By the time of the record: a late report about an earlier day is news of this hour.
  INSERT INTO project_hours AS h (project_id, hour, ${list(OF_HOURS, (name) => name)})
  SELECT t.project_id, date_trunc('hour', t.created_at, 'UTC') AS hour, ${list(OF_HOURS, (name) => `sum(t.${name})`)}
    FROM taken t JOIN projects p ON p.id = t.project_id WHERE ${OF_HOURS.map((name) => `t.${name} <> 0`).join(' OR ')} GROUP BY t.project_id, 2 ORDER BY t.project_id, 2
  ON CONFLICT (project_id, hour) DO UPDATE SET ${list(OF_HOURS, (name) => `${name} = h.${name} + excluded.${name}`)}
), campaign AS (
  UPDATE campaigns c SET ${list(OF_CAMPAIGNS, (name) => `${name}_count = c.${name}_count + t.${name}`)}
    FROM (SELECT campaign_id, ${list(OF_CAMPAIGNS, (name) => `sum(${name}) AS ${name}`)} FROM taken WHERE campaign_id IS NOT NULL GROUP BY campaign_id) t
   WHERE c.id = t.campaign_id RETURNING c.id
), variants AS (
  -- After the campaigns, in the order of a deletion.
  UPDATE campaign_variants v SET ${list(OF_VARIANTS, (name) => `${name} = v.${name} + t.${name}`)}
    FROM (SELECT campaign_id, variant, ${list(OF_VARIANTS, (name) => `sum(${name}) AS ${name}`)}
            FROM taken WHERE variant IS NOT NULL GROUP BY campaign_id, variant) t
    JOIN campaign c ON c.id = t.campaign_id
   WHERE v.campaign_id = t.campaign_id AND v.id = t.variant
), waves AS (
  UPDATE campaign_waves w SET sent = w.sent + t.sent
    FROM (SELECT campaign_id, wave, sum(sent) AS sent FROM taken WHERE wave IS NOT NULL GROUP BY campaign_id, wave) t
    JOIN campaign c ON c.id = t.campaign_id
   WHERE w.campaign_id = t.campaign_id AND w.due_at = t.wave
)
SELECT count(*)::int AS count FROM taken`;

/** Folds up to `limit` deltas unless another fold is running. @returns their number */
export async function foldFigures(db: Queryable, limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({ name: 'figures-fold', text: FOLD, values: [limit] });
  return rows[0]?.count ?? 0;
}

/** The figures of a campaign, exact at any moment. */
export interface CampaignFigures {
  /** The emails in the snapshot so far. */
  totalRecipients: number;
  sentCount: number;
  deliveredCount: number;
  openedCount: number;
  clickedCount: number;
  bouncedCount: number;
  complainedCount: number;
}

/** Returns the current figures of campaigns by id. The cost does not depend on the number of emails. */
export async function figuresOfCampaigns(
  db: Queryable,
  projectId: string,
  campaignIds: string[],
): Promise<Map<string, CampaignFigures>> {
  if (campaignIds.length === 0) return new Map();
  const { rows } = await db.query<CampaignFigures & { id: string }>({
    name: 'figures-of-campaigns',
    text: `SELECT c.id, c.total_recipients AS "totalRecipients",
                  ${list(OF_CAMPAIGNS, (name) => `c.${name}_count + coalesce(d.${name}, 0) AS "${name}Count"`)}
             FROM campaigns c
             LEFT JOIN (
               SELECT campaign_id, ${list(OF_CAMPAIGNS, (name) => `sum(${name}) AS ${name}`)} FROM stat_deltas
                 WHERE project_id = $1 AND campaign_id = ANY ($2::uuid[]) GROUP BY campaign_id
             ) d ON d.campaign_id = c.id
            WHERE c.project_id = $1 AND c.id = ANY ($2::uuid[])`,
    values: [projectId, campaignIds],
  });
  return new Map(rows.map(({ id, ...figures }) => [id, figures]));
}
