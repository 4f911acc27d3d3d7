/**
 * The clicks on the links of campaigns. Stored hits append deltas (COUNT_LINKS), and housekeeping folds them. A link is a
 * URL with a label, so the same URL can be several links of an email.
 */
import type { Queryable } from '../../../db/pool.js';

/** The id of the link of a row with url and label. Null for an open. */
export const LINK_ID = (row: string): string => `md5(coalesce(${row}.label, '') || E'\\n' || ${row}.url)::uuid`;

/**
 * Links per campaign with figures of their own. URLs that contain data of the recipient would make a row per recipient.
 * Clicks on further links count as those of one link without a URL.
 */
const MAX_STORED_LINKS = 5000;
const OTHER_LINK = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** Parts of a WITH clause: add the clicks of `stored` hits to the links of their campaigns. */
export const COUNT_LINKS = `click AS MATERIALIZED (
             SELECT e.project_id, e.campaign_id, e.id AS email_id, ${LINK_ID('s')} AS link_id, s.url, s.label, s.machine, s.at
               FROM stored s JOIN emails e ON e.id = s.email_id
              WHERE s.kind = 'click' AND s.url IS NOT NULL AND e.campaign_id IS NOT NULL
           ), person AS (
             INSERT INTO campaign_clicks (project_id, campaign_id, link_id, email_id)
             SELECT DISTINCT project_id, campaign_id, link_id, email_id FROM click WHERE NOT machine
             ON CONFLICT DO NOTHING
             RETURNING campaign_id, link_id
           ), linked AS (
             INSERT INTO link_deltas
               (project_id, campaign_id, url, label, people, clicks, machine_clicks, first_at, last_at)
             SELECT c.project_id, c.campaign_id, c.url, c.label,
                    (SELECT count(*) FROM person p WHERE p.campaign_id = c.campaign_id AND p.link_id = c.link_id),
                    count(*) FILTER (WHERE NOT c.machine), count(*) FILTER (WHERE c.machine),
                    min(c.at) FILTER (WHERE NOT c.machine), max(c.at) FILTER (WHERE NOT c.machine)
               FROM click c GROUP BY c.project_id, c.campaign_id, c.link_id, c.url, c.label
           )`;

const FOLD = `
WITH turn AS MATERIALIZED (
  SELECT pg_try_advisory_xact_lock(hashtextextended('fold links', 0)) AS mine
), folded AS (
  DELETE FROM link_deltas WHERE id = ANY (ARRAY(
    SELECT id FROM link_deltas WHERE (SELECT mine FROM turn) ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING *
), campaign AS MATERIALIZED (
  -- Deltas of deleted campaigns are dropped.
  SELECT c.id, (SELECT count(*) FROM campaign_links k WHERE k.campaign_id = c.id) AS links
    FROM campaigns c WHERE c.id IN (SELECT campaign_id FROM folded) ORDER BY c.id FOR KEY SHARE
), link AS MATERIALIZED (
  SELECT d.project_id, d.campaign_id, ${LINK_ID('d')} AS link_id, d.url, d.label, c.links, sum(d.people) AS people,
         sum(d.clicks) AS clicks, sum(d.machine_clicks) AS machine_clicks, min(d.first_at) AS first_at,
         max(d.last_at) AS last_at
    FROM folded d JOIN campaign c ON c.id = d.campaign_id GROUP BY 1, 2, 3, 4, 5, 6
), placed AS (
  SELECT l.*, k.link_id IS NULL
              AND l.links + row_number() OVER (PARTITION BY l.campaign_id, k.link_id IS NULL ORDER BY l.people DESC)
                  > ${MAX_STORED_LINKS} AS is_other
    FROM link l LEFT JOIN campaign_links k ON k.campaign_id = l.campaign_id AND k.link_id = l.link_id
), stored AS (
  INSERT INTO campaign_links AS k
    (project_id, campaign_id, link_id, url, label, people, clicks, machine_clicks, first_at, last_at)
  SELECT project_id, campaign_id, CASE WHEN is_other THEN ${OTHER_LINK} ELSE link_id END,
         CASE WHEN NOT is_other THEN url END, CASE WHEN NOT is_other THEN label END, sum(people), sum(clicks),
         sum(machine_clicks), min(first_at), max(last_at)
    FROM placed GROUP BY 1, 2, 3, 4, 5 ORDER BY 2, 3
  ON CONFLICT (campaign_id, link_id) DO UPDATE
    SET people = k.people + excluded.people, clicks = k.clicks + excluded.clicks,
        machine_clicks = k.machine_clicks + excluded.machine_clicks,
        first_at = least(k.first_at, excluded.first_at), last_at = greatest(k.last_at, excluded.last_at)
)
SELECT count(*)::int AS count FROM folded`;

/** Folds up to `limit` deltas unless another fold is running. @returns their number */
export async function foldLinks(db: Queryable, limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({ name: 'links-fold', text: FOLD, values: [limit] });
  return rows[0]?.count ?? 0;
}

/** The clicks on a link. */
export interface LinkFigures {
  /** Recipients who clicked it. */
  people: number;
  /** Clicks by people. */
  clicks: number;
  machineClicks: number;
  /** The first and last click by a person. */
  firstAt: Date | null;
  lastAt: Date | null;
}

export interface LinkRow extends LinkFigures {
  /** Null for all links after the first `limit` ones. */
  url: string | null;
  label: string | null;
}

/** Returns the links of a campaign, most clicked first, and one row for the links after the first `limit` ones. */
export async function selectLinks(db: Queryable, campaignId: string, limit: number): Promise<LinkRow[]> {
  const { rows } = await db.query<LinkRow>({
    name: 'campaign-links',
    text: `
WITH link AS (
  SELECT link_id, min(url) AS url, min(label) AS label, sum(people) AS people, sum(clicks) AS clicks,
         sum(machine_clicks) AS machine_clicks, min(first_at) AS first_at, max(last_at) AS last_at
    FROM (SELECT link_id, url, label, people, clicks, machine_clicks, first_at, last_at
            FROM campaign_links WHERE campaign_id = $1
          UNION ALL
          SELECT ${LINK_ID('d')}, url, label, people, clicks, machine_clicks, first_at, last_at
            FROM link_deltas d WHERE campaign_id = $1) f
   GROUP BY link_id
), placed AS (
  SELECT *, url IS NULL OR row_number() OVER (ORDER BY url IS NULL, people DESC, clicks DESC, machine_clicks DESC, url, label) > $2 AS is_other
    FROM link
)
SELECT CASE WHEN NOT is_other THEN url END AS url, CASE WHEN NOT is_other THEN label END AS label,
       sum(people)::bigint AS people, sum(clicks)::bigint AS clicks, sum(machine_clicks)::bigint AS "machineClicks",
       min(first_at) AS "firstAt", max(last_at) AS "lastAt"
  FROM placed GROUP BY is_other, CASE WHEN NOT is_other THEN link_id END, 1, 2
 ORDER BY is_other, people DESC, clicks DESC, "machineClicks" DESC, url, label`,
    values: [campaignId, limit],
  });
  return rows;
}
