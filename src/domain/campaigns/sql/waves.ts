/** The waves of a campaign at the reader's local time: its snapshot, and what became of them. */
import type { Queryable } from '../../../db/pool.js';
import { SEND_WINDOW } from '../../delivery/sql/campaigns.js';
import { HELD_UNTIL } from '../../delivery/sql/chunks.js';
import { countInWaves } from '../../delivery/sql/waves.js';
import { IS_TRACKED } from '../../emails/sql/delivery.js';
import { ZONE_OF_CONTACT } from '../../contacts/timezone.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import { FIRST_ID } from '../../../ids.js';
import { zoneForDatabase } from '../../timezone.js';
import { RECIPIENT, type SendWindow } from '../../send-window.js';
import type { LocalSchedule, RecipientSchedule } from '../local-schedule.js';
import type { RunRef, RunningCampaign } from './run.js';
import type { VariantRow } from './variants.js';

/** The time zone of a project. */
export async function selectTimezone(db: Queryable, projectId: string): Promise<string> {
  const { rows } = await db.query<{ timezone: string }>({
    name: 'project-timezone',
    text: `SELECT timezone FROM projects WHERE id = $1`,
    values: [projectId],
  });
  return rows[0]?.timezone ?? 'UTC';
}

/** Returns what determines when the emails of a campaign are due; null if it does not exist. */
export async function readTiming(
  db: Queryable,
  campaignId: string,
): Promise<{ localSchedule: LocalSchedule | null; sendWindow: SendWindow | null; timezone: string } | null> {
  const { rows } = await db.query<{
    localSchedule: LocalSchedule | null;
    sendWindow: SendWindow | null;
    timezone: string;
  }>({
    name: 'campaign-timing',
    text: `SELECT c.local_schedule AS "localSchedule", ${SEND_WINDOW} AS "sendWindow", p.timezone
             FROM campaigns c JOIN projects p ON p.id = c.project_id WHERE c.id = $1`,
    values: [campaignId],
  });
  return rows[0] ?? null;
}

/** When the local time of a schedule is due in a time zone; null: recipients there are skipped. */
export interface ZoneDue {
  zone: string;
  due: Date | null;
}

export interface DueRule {
  /** The local time; null: the beginning. */
  time: string | null;
  past: RecipientSchedule['past'];
  /** The beginning, from which on a local time is not past. */
  begunAt: Date;
  /** The hours in which email may be sent; null: always. */
  sendWindow: SendWindow | null;
}

/** Returns when emails are due in each of the time zones, by PostgreSQL's rule for changes of clocks (timezone.ts). */
export async function selectDues(
  db: Queryable,
  { time, past, begunAt, sendWindow }: DueRule,
  zones: readonly string[],
): Promise<ZoneDue[]> {
  const { rows } = await db.query<ZoneDue>(
    `SELECT z.name AS zone,
            CASE WHEN $6::jsonb IS NULL THEN s.due
                 ELSE next_open($6, s.due, coalesce($7, z.stored)) END AS due
       FROM unnest($4::text[], $5::text[]) AS z(name, stored)
      CROSS JOIN LATERAL (SELECT coalesce($1::timestamp AT TIME ZONE z.stored, $2) AS due) d
      CROSS JOIN LATERAL (
     SELECT CASE WHEN d.due >= $2 THEN d.due
                 WHEN $3 = 'now' THEN $2
                 -- A local time that is past everywhere else by one day can be past by 26 hours here.
                 WHEN $3 = 'next_day' THEN (SELECT min(n.due)
                                              FROM generate_series(1, 3) AS day(number)
                                             CROSS JOIN LATERAL (
                                               SELECT ($1::timestamp + day.number * interval '1 day') AT TIME ZONE z.stored AS due) n
                                             WHERE n.due >= $2)
                 END AS due) s`,
    [time, begunAt, past, zones, zones.map(zoneForDatabase), sendWindow, fixedZone(sendWindow)],
  );
  return rows;
}

/** The time zone of a window, as PostgreSQL knows it; null if that of each recipient counts. */
const fixedZone = (sendWindow: SendWindow | null): string | null =>
  sendWindow === null || sendWindow.timezone === RECIPIENT ? null : zoneForDatabase(sendWindow.timezone);

/**
 * A number from 0 to 9,999 that depends only on the ids of contact and campaign, so that a repeated page and a crash give the
 * same one. Those of different purposes are independent.
 */
const PERCENTILE = (contactId: string, campaignId: string, purpose: 'share' | 'variant'): string =>
  `((hashtextextended(${contactId}::text || ${campaignId}::uuid::text, ${purpose === 'share' ? 0 : 1}) & 9223372036854775807) % 10000)`;

/** A snapshot page of waves. */
export interface WavePage {
  /** The number of contacts. */
  limit: number;
  dues: readonly ZoneDue[];
  fallback: ZoneDue;
  /** Whether emails have a time of their own. Otherwise, they are due immediately, and there are no waves. */
  isTimed: boolean;
  /** The variants of a test, and the part of the audience in it, in percent. */
  split: { variants: readonly VariantRow[]; share: number } | null;
}

/**
 * Schedules the emails of the next `limit` contacts of the audience, by id, counts them in their waves, and advances the
 * campaign's cursor.
 */
export async function snapshotWavePage(
  tx: Queryable,
  { campaignId, projectId }: RunRef,
  campaign: RunningCampaign,
  audience: ContactClause,
  { limit, dues, fallback, isTimed, split }: WavePage,
): Promise<{ done: boolean; totalRecipients: number }> {
  const p = audience.values.length;
  const { rows } = await tx.query<{ snapshotDone: boolean; totalRecipients: number }>(
    `WITH page AS MATERIALIZED (
       SELECT c.id, c.email, ${ZONE_OF_CONTACT} AS zone FROM contacts c
        WHERE c.project_id = $${p + 1} AND c.id > $${p + 2} AND c.created_at <= $${p + 3} AND (${audience.sql})
        ORDER BY c.id LIMIT $${p + 4}
     ), known AS MATERIALIZED (
       SELECT lower(zone) AS key, zone, due FROM unnest($${p + 9}::text[], $${p + 10}::timestamptz[]) AS k(zone, due)
     ), variant AS MATERIALIZED (
       SELECT id, message_id, sum(weight) OVER (ORDER BY position) - weight AS first, sum(weight) OVER (ORDER BY position) AS last
         FROM unnest($${p + 14}::text[], $${p + 15}::uuid[], $${p + 16}::int[]) WITH ORDINALITY AS v(id, message_id, weight, position)
     ), placed AS MATERIALIZED (
       SELECT o.*, v.id AS variant, v.message_id, $${p + 17}::int IS NOT NULL AND v.id IS NULL AS is_held,
              row_number() OVER (ORDER BY o.id) AS number
         FROM (SELECT page.id, page.email, coalesce(k.zone, $${p + 11}) AS zone,
                      k.zone IS NULL AND EXISTS (SELECT FROM known) AS fell_back,
                      CASE WHEN k.zone IS NULL THEN $${p + 12}::timestamptz ELSE k.due END AS due
                 FROM page LEFT JOIN known k ON k.key = page.zone) o
         LEFT JOIN variant v
           ON ${PERCENTILE('o.id', `$${p + 6}`, 'share')} < $${p + 17}::int * 100
          AND ${PERCENTILE('o.id', `$${p + 6}`, 'variant')} >= v.first * 100
          AND ${PERCENTILE('o.id', `$${p + 6}`, 'variant')} < v.last * 100
        WHERE o.due IS NOT NULL
     ), start AS MATERIALIZED (
       SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms, $${p + 8}::int AS n, count(*)::int AS count FROM placed
     ), queued AS (
       INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, tracked, status, variant, scheduled_for, next_attempt_at)
       SELECT campaign_email_id($${p + 6}, s.ms, s.n + o.number::int), $${p + 1}, coalesce(o.message_id, $${p + 5}), o.id, $${p + 6}, 'CAMPAIGN', $${p + 7}::email_type, o.email,
              (SELECT ${IS_TRACKED(`$${p + 7}::email_type`)} FROM projects p WHERE p.id = $${p + 1}), 'SCHEDULED', o.variant,
              CASE WHEN $${p + 13}::boolean AND NOT o.is_held THEN o.due END, CASE WHEN o.is_held THEN ${HELD_UNTIL} ELSE o.due END
         FROM placed o CROSS JOIN start s
        ORDER BY o.number
     ), counted AS (${countInWaves(
       `$${p + 6}`,
       `(SELECT *, $${p + 1}::uuid AS project_id, due AS due_at FROM placed WHERE $${p + 13}::boolean AND NOT is_held) o`,
     )}
     )
     UPDATE campaigns SET total_recipients = total_recipients + s.count,
            snapshot_cursor = coalesce((SELECT id FROM page ORDER BY id DESC LIMIT 1), snapshot_cursor),
            snapshot_done = (SELECT count(*) FROM page) < $${p + 4}
       FROM start s
      WHERE campaigns.id = $${p + 6} RETURNING snapshot_done AS "snapshotDone", total_recipients AS "totalRecipients"`,
    [
      ...audience.values,
      projectId,
      campaign.snapshotCursor ?? FIRST_ID,
      campaign.startedAt,
      limit,
      campaign.messageId,
      campaignId,
      campaign.type,
      campaign.totalRecipients,
      dues.map(({ zone }) => zone),
      dues.map(({ due }) => due),
      fallback.zone,
      fallback.due,
      isTimed,
      split?.variants.map(({ id }) => id) ?? [],
      split?.variants.map(({ messageId }) => messageId) ?? [],
      split?.variants.map(({ weight }) => weight) ?? [],
      split?.share ?? null,
    ],
  );
  return { done: rows[0]?.snapshotDone ?? true, totalRecipients: rows[0]?.totalRecipients ?? 0 };
}

/** The recipients of a campaign that are due at the same moment. */
export interface WaveRow {
  at: Date;
  /** That with the most recipients first. */
  zones: string[];
  total: number;
  /** Recipients without a known time zone. */
  fallback: number;
  sent: number;
}

/** The number of emails of the wave `w` that are not sent. */
const UNSENT = (ofWave: string): string => `coalesce((SELECT u.count FROM unsent u WHERE u.due = ${ofWave}.due_at), 0)`;

/** A part of a WITH clause: the unsent emails of the campaign $1, by wave. */
const UNSENT_BY_WAVE = `
unsent AS MATERIALIZED (
  SELECT due, count(*) AS count
    FROM (-- The index of waves has them.
          SELECT e.scheduled_for AS due FROM emails e WHERE e.campaign_id = $1 AND e.stage = 'SCHEDULED'
          UNION ALL
          SELECT e.scheduled_for FROM emails e
           WHERE e.campaign_id = $1 AND e.stage IN ('PENDING', 'SENDING', 'CANCELLED', 'FAILED')
          UNION ALL
          SELECT e.scheduled_for
            FROM campaign_chunks k CROSS JOIN unnest(k.members) AS m(id)
           CROSS JOIN LATERAL (SELECT scheduled_for FROM emails WHERE id = m.id AND status = 'PENDING' LIMIT 1) e
           WHERE k.campaign_id = $1 AND k.closed_at IS NULL
          UNION ALL
          SELECT e.scheduled_for
            FROM campaign_retries r
           CROSS JOIN LATERAL (SELECT scheduled_for FROM emails WHERE id = r.email_id AND status = 'PENDING' LIMIT 1) e
           WHERE r.campaign_id = $1) e
   GROUP BY due)`;

/** Returns the waves of a campaign whose snapshot has begun, in the order of their moments. */
export async function selectWaves(db: Queryable, campaignId: string): Promise<WaveRow[]> {
  const { rows } = await db.query<WaveRow>(
    `WITH ${UNSENT_BY_WAVE}
     SELECT w.due_at AS at, w.zones, w.total, w.fallback, coalesce(w.sent, greatest(0, w.total - (${UNSENT('w')})))::int AS sent
       FROM campaign_waves w WHERE w.campaign_id = $1 AND w.total > 0 ORDER BY w.due_at`,
    [campaignId],
  );
  return rows;
}

/** Returns the number of a campaign's recipients without a known time zone. */
export async function countFallback(db: Queryable, campaignId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'campaign-fallback-zone',
    text: `SELECT coalesce(sum(fallback), 0)::int AS count FROM campaign_waves WHERE campaign_id = $1`,
    values: [campaignId],
  });
  return rows[0]?.count ?? 0;
}

/** Stores how many emails of each wave were sent, because retention deletes the emails. */
export async function storeWaves(db: Queryable, campaignId: string): Promise<void> {
  await db.query(
    `WITH ${UNSENT_BY_WAVE}
     UPDATE campaign_waves w SET sent = greatest(0, w.total - (${UNSENT('w')})) WHERE w.campaign_id = $1`,
    [campaignId],
  );
}

/** Returns the number of an audience's contacts by time zone, for the zones `known` and for the others. */
export async function countZones(
  db: Queryable,
  audience: ContactClause,
  known: readonly string[],
): Promise<Array<{ zone: string | null; count: number }>> {
  const { rows } = await db.query<{ zone: string | null; count: number }>(
    `SELECT k.zone, sum(c.count)::bigint AS count
       FROM (SELECT ${ZONE_OF_CONTACT} AS key, count(*) AS count FROM contacts c WHERE ${audience.sql} GROUP BY 1) c
       LEFT JOIN (SELECT lower(zone) AS key, zone FROM unnest($${audience.values.length + 1}::text[]) AS k(zone)) k ON k.key = c.key
      GROUP BY k.zone ORDER BY 2 DESC, 1`,
    [...audience.values, known],
  );
  return rows;
}

/** The next wave of a campaign, for people. */
export interface NextWave {
  number: number;
  waves: number;
  /** The zone with the most recipients. */
  zone: string;
  recipients: number;
}

/** Describes the wave that is due at a moment; null if there is none. */
export async function describeWave(db: Queryable, campaignId: string, dueAt: Date): Promise<NextWave | null> {
  const { rows } = await db.query<NextWave>({
    name: 'campaign-wave-describe',
    text: `SELECT count(*) FILTER (WHERE o.due_at <= w.due_at)::int AS number, count(*)::int AS waves,
                  w.zones[1] AS zone, w.total AS recipients
             FROM campaign_waves w JOIN campaign_waves o ON o.campaign_id = w.campaign_id
            WHERE w.campaign_id = $1 AND w.due_at = $2 AND o.total > 0 GROUP BY w.campaign_id, w.due_at`,
    values: [campaignId, dueAt],
  });
  return rows[0] ?? null;
}
