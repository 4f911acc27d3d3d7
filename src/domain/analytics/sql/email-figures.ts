/**
 * Figures of emails by time, and by source, type, campaign, template, workflow, and domain of the recipient. Statements
 * that change emails append deltas, and housekeeping folds them, as in figures.ts. Each email counts once per figure, in
 * the minute of its time.
 */
import { zoneForDatabase } from '../../timezone.js';
import type { Queryable } from '../../../db/pool.js';

/** The columns of the figures. */
export const EMAIL_FIGURES = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'machine_opened',
  'machine_clicked',
] as const;

/** The groups of figures. `total` has all emails of a project. */
export const DIMENSIONS = ['source', 'type', 'campaign', 'template', 'workflow', 'recipientDomain'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

const list = (write: (name: string) => string): string => EMAIL_FIGURES.map(write).join(', ');

/** The groups of a delta `d`, as rows of (dimension, key). The key is null if the delta has no such group. */
const GROUPS = (d: string): string => `(VALUES
  ('total', ''), ('source', ${d}.source::text), ('type', ${d}.type::text), ('campaign', ${d}.campaign_id::text),
  ('template', ${d}.template_id::text), ('workflow', ${d}.workflow_id::text), ('recipientDomain', ${d}.domain)
)`;

/** The key of a delta `d` in a dimension. */
const KEY_OF: Record<Dimension | 'total', string> = {
  total: `''`,
  source: 'd.source::text',
  type: 'd.type::text',
  campaign: 'd.campaign_id::text',
  template: 'd.template_id::text',
  workflow: 'd.workflow_id::text',
  recipientDomain: 'd.domain',
};

export const minuteOf = (time: string): string => `date_bin('1 minute', ${time}, '2000-01-01T00:00:00Z')`;
const quarterOf = (time: string): string => `date_bin('15 minutes', ${time}, '2000-01-01T00:00:00Z')`;
/** SQL: the first full hour from a time on, and the last one until it. */
const hourFrom = (time: string): string =>
  `date_bin('1 hour', ${time} + interval '59 minutes 59.999 seconds', '2000-01-01T00:00:00Z')`;
const hourUntil = (time: string): string => `date_bin('1 hour', ${time}, '2000-01-01T00:00:00Z')`;

/**
 * Returns a data-modifying statement for a WITH clause. It counts sent emails.
 *
 * @param emails a query with project_id, campaign_id, template_id, workflow_id, source, type, to_email, and sent_at
 */
export const countSent = (emails: string): string => `
  INSERT INTO email_deltas (project_id, minute, campaign_id, template_id, workflow_id, source, type, domain, sent)
  SELECT s.project_id, ${minuteOf('s.sent_at')}, s.campaign_id, s.template_id, s.workflow_id, s.source, s.type,
         split_part(s.to_email, '@', -1), count(*)
    FROM (${emails}) s GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`;

const FOLD = `
WITH turn AS MATERIALIZED (
  -- One fold at a time: concurrent folds would wait for each other's rows.
  SELECT pg_try_advisory_xact_lock(hashtextextended('fold email figures', 0)) AS mine
), folded AS (
  DELETE FROM email_deltas WHERE id = ANY (ARRAY(
    SELECT id FROM email_deltas WHERE (SELECT mine FROM turn) ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING *
), delta AS MATERIALIZED (
  -- Deltas of deleted projects are dropped.
  SELECT project_id, minute, campaign_id, template_id, workflow_id, source, type, domain,
         ${list((name) => `sum(${name})::int AS ${name}`)}
    FROM folded WHERE EXISTS (SELECT FROM projects p WHERE p.id = project_id)
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
), cell AS MATERIALIZED (
  SELECT d.project_id, g.dimension, g.key, ${quarterOf('d.minute')} AS at, ${list((name) => `sum(d.${name})::int AS ${name}`)}
    FROM delta d CROSS JOIN LATERAL ${GROUPS('d')} AS g(dimension, key)
   WHERE g.key IS NOT NULL GROUP BY 1, 2, 3, 4
), quarters AS (
  INSERT INTO email_quarters AS q (project_id, dimension, key, at, ${list((name) => name)})
  SELECT project_id, dimension, key, at, ${list((name) => name)} FROM cell ORDER BY 1, 2, 3, 4
  ON CONFLICT (project_id, dimension, key, at) DO UPDATE SET ${list((name) => `${name} = q.${name} + excluded.${name}`)}
), hours AS (
  INSERT INTO email_hours AS h (project_id, dimension, key, at, ${list((name) => name)})
  SELECT project_id, dimension, key, ${hourUntil('at')}, ${list((name) => `sum(${name})`)}
    FROM cell GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  ON CONFLICT (project_id, dimension, key, at) DO UPDATE SET ${list((name) => `${name} = h.${name} + excluded.${name}`)}
), days AS (
  INSERT INTO email_days AS y (project_id, dimension, day, key, sent)
  SELECT project_id, dimension, (at AT TIME ZONE 'UTC')::date, key, sum(sent)
    FROM cell WHERE dimension <> 'total' AND sent <> 0 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  ON CONFLICT (project_id, dimension, day, key) DO UPDATE SET sent = y.sent + excluded.sent
), campaign AS MATERIALIZED (
  SELECT c.id FROM campaigns c WHERE c.id IN (SELECT campaign_id FROM delta) ORDER BY c.id FOR KEY SHARE
), minutes AS (
  INSERT INTO campaign_minutes AS m (project_id, campaign_id, minute, ${list((name) => name)})
  SELECT d.project_id, d.campaign_id, d.minute, ${list((name) => `sum(d.${name})`)}
    FROM delta d JOIN campaign c ON c.id = d.campaign_id GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (campaign_id, minute) DO UPDATE SET ${list((name) => `${name} = m.${name} + excluded.${name}`)}
)
SELECT count(*)::int AS count FROM folded`;

/** Folds up to `limit` deltas unless another fold is running. @returns their number */
export async function foldEmailFigures(db: Queryable, limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({ name: 'email-figures-fold', text: FOLD, values: [limit] });
  return rows[0]?.count ?? 0;
}

/** The figures of a period, as in responses. */
export interface EmailFigures {
  sent: number;
  delivered: number;
  opens: number;
  clicks: number;
  bounces: number;
  complaints: number;
  unsubscribes: number;
  machineOpens: number;
  machineClicks: number;
}

const NAMES: Record<(typeof EMAIL_FIGURES)[number], keyof EmailFigures> = {
  sent: 'sent',
  delivered: 'delivered',
  opened: 'opens',
  clicked: 'clicks',
  bounced: 'bounces',
  complained: 'complaints',
  unsubscribed: 'unsubscribes',
  machine_opened: 'machineOpens',
  machine_clicked: 'machineClicks',
};
const SUMS = EMAIL_FIGURES.map((name) => `coalesce(sum(f.${name}), 0)::bigint AS "${NAMES[name]}"`).join(', ');

export type Interval = 'minute' | 'hour' | 'day';

/** Every bucket of the interval begins at a multiple of this step in every time zone. */
const STEP: Record<Interval, string> = { minute: '1 minute', hour: '15 minutes', day: '1 hour' };

/** SQL: the buckets (at, until) of an interval in the time zone $tz, which overlap [from, until). */
const BUCKETS = (interval: Interval, { from, until, zone }: { from: string; until: string; zone: string }): string => `
  SELECT at, lead(at, 1, ${until}) OVER (ORDER BY at) AS until
    FROM (SELECT DISTINCT date_trunc('${interval}', g, ${zone}) AS at
            FROM generate_series(${from}, ${until} - interval '${STEP[interval]}', interval '${STEP[interval]}') g) g`;

/** A range of local days in a time zone, both included. */
export interface LocalDays {
  first: string;
  last: string;
  timezone: string;
}

export interface Bucket extends EmailFigures {
  /** The start. */
  at: Date;
  /** The local day. */
  date: string;
  /** A key of the dimension. */
  key: string;
}

/**
 * Returns the figures of each bucket and key, oldest first and in the order of the keys, with zeros.
 *
 * @param keys the keys of a dimension; [''] for `total`
 */
export async function selectEmailFigures(
  db: Queryable,
  projectId: string,
  { first, last, timezone }: LocalDays,
  { interval, dimension, keys }: { interval: 'hour' | 'day'; dimension: Dimension | 'total'; keys: readonly string[] },
): Promise<Bucket[]> {
  const { rows } = await db.query<Bucket>({
    name: `email-figures-${interval}-${dimension}`,
    text: `
WITH bounds AS MATERIALIZED (
  SELECT $2::date::timestamp AT TIME ZONE $4 AS first, ($3::date + 1)::timestamp AT TIME ZONE $4 AS last
), bucket AS MATERIALIZED (
  SELECT b.*, ${hourFrom('b.at')} AS hours_from, ${hourUntil('b.until')} AS hours_until
    FROM bounds CROSS JOIN LATERAL (${BUCKETS(interval, { from: 'bounds.first', until: 'bounds.last', zone: '$4' })}) b
), figure(key, at, ${list((name) => name)}) AS (
  ${interval === 'hour' ? HOURS(dimension) : DAYS(dimension)}
  UNION ALL
  SELECT ${KEY_OF[dimension]}, date_trunc('${interval}', d.minute, $4), ${list((name) => `d.${name}`)}
    FROM email_deltas d, bounds
   WHERE d.project_id = $1 AND d.minute >= bounds.first AND d.minute < bounds.last AND ${KEY_OF[dimension]} = ANY ($5::text[])
  UNION ALL
  SELECT k.key, b.at, ${list(() => '0')} FROM bucket b CROSS JOIN unnest($5::text[]) AS k(key)
)
SELECT f.at, to_char(f.at AT TIME ZONE $4, 'YYYY-MM-DD') AS date, f.key, ${SUMS}
  FROM figure f GROUP BY f.at, f.key ORDER BY f.at, array_position($5::text[], f.key)`,
    values: [projectId, first, last, zoneForDatabase(timezone), keys],
  });
  return rows;
}

/** SQL: the rows of the key `k.key` in a range of time. PostgreSQL skips an empty range without reading an index. */
const CELLS = (table: string, dimension: Dimension | 'total', [from, until]: [string, string]): string => `
      SELECT f.at, ${list((name) => `f.${name}`)} FROM ${table} f
       WHERE f.project_id = $1 AND f.dimension = '${dimension}' AND f.key = k.key
         AND f.at >= ${from} AND f.at < ${until} AND ${from} < ${until}`;

/**
 * SQL: the figures of days: their full hours, and the quarters before and after them, if the offset of the time zone has
 * minutes. LATERAL with aggregates makes the planner read the index range of each day and key.
 */
const DAYS = (dimension: Dimension | 'total'): string => `
  SELECT k.key, b.at, r.* FROM bucket b CROSS JOIN unnest($5::text[]) AS k(key)
   CROSS JOIN LATERAL (
    SELECT ${list((name) => `coalesce(sum(f.${name}), 0) AS ${name}`)} FROM (${[
      CELLS('email_hours', dimension, ['b.hours_from', 'b.hours_until']),
      CELLS('email_quarters', dimension, ['b.at', 'b.hours_from']),
      CELLS('email_quarters', dimension, ['b.hours_until', 'b.until']),
    ].join(' UNION ALL ')}) f) r`;

/**
 * SQL: the figures of hours, from an index range per key: full hours, or quarters if the offset of the time zone has
 * minutes. Reading each hour separately took three times as long.
 */
const HOURS = (dimension: Dimension | 'total'): string => {
  const range: [string, string] = ['(SELECT first FROM bounds)', '(SELECT last FROM bounds)'];
  const isWhole = '(SELECT bool_and(at = hours_from) FROM bucket)';
  return `
  SELECT k.key, date_trunc('hour', f.at, $4), ${list((name) => `f.${name}`)}
    FROM unnest($5::text[]) AS k(key) CROSS JOIN LATERAL (${[
      `${CELLS('email_hours', dimension, range)} AND ${isWhole}`,
      `${CELLS('email_quarters', dimension, range)} AND NOT ${isWhole}`,
    ].join(' UNION ALL ')} OFFSET 0) f`;
};

/** Returns the keys of a dimension with the most emails sent on these days, largest first. Days are those of UTC. */
export async function selectTopKeys(
  db: Queryable,
  projectId: string,
  { first, last }: { first: string; last: string },
  { dimension, limit }: { dimension: Dimension; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>({
    name: `email-figures-keys-${dimension}`,
    text: `SELECT key FROM (
             SELECT y.key, y.sent FROM email_days y
              WHERE y.project_id = $1 AND y.dimension = '${dimension}' AND y.day BETWEEN $2::date AND $3::date
             UNION ALL
             SELECT ${KEY_OF[dimension]}, d.sent FROM email_deltas d
              WHERE d.project_id = $1 AND (d.minute AT TIME ZONE 'UTC')::date BETWEEN $2::date AND $3::date
           ) f WHERE key IS NOT NULL GROUP BY key HAVING sum(sent) > 0 ORDER BY sum(sent) DESC, key LIMIT $4`,
    values: [projectId, first, last, limit],
  });
  return rows.map(({ key }) => key);
}

export type CampaignBucket = Omit<Bucket, 'date' | 'key'>;

/** Returns a campaign's figures from its first one on, oldest first, with zeros, up to its last one. */
export async function selectCampaignFigures(
  db: Queryable,
  { projectId, campaignId }: { projectId: string; campaignId: string },
  { interval, timezone, limit }: { interval: Interval; timezone: string; limit: number },
): Promise<CampaignBucket[]> {
  const { rows } = await db.query<CampaignBucket>({
    name: `email-figures-campaign-${interval}`,
    text: `
WITH figures AS MATERIALIZED (
  SELECT date_trunc('${interval}', minute, $3) AS at, ${list((name) => `sum(${name}) AS ${name}`)}
    FROM (SELECT minute, ${list((name) => name)} FROM campaign_minutes WHERE campaign_id = $1
          UNION ALL
          SELECT minute, ${list((name) => name)} FROM email_deltas WHERE project_id = $2 AND campaign_id = $1) f
   GROUP BY 1
), bounds AS MATERIALIZED (
  SELECT min(at) AS first, max(at) + interval '1 ${interval}' AS last FROM figures
), bucket AS (
  SELECT b.at FROM bounds CROSS JOIN LATERAL (${BUCKETS(interval, { from: 'bounds.first', until: `least(bounds.last, bounds.first + $4::int * interval '1 ${interval}')`, zone: '$3' })}) b
   WHERE bounds.first IS NOT NULL
)
SELECT b.at, ${SUMS} FROM bucket b LEFT JOIN figures f ON f.at = b.at GROUP BY b.at ORDER BY b.at LIMIT $4`,
    values: [campaignId, projectId, zoneForDatabase(timezone), limit],
  });
  return rows;
}
