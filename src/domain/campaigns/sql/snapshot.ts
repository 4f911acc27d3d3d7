/** The pages of a snapshot: the audience of a campaign becomes its emails. */
import type { Queryable } from '../../../db/pool.js';
import { FIRST_ID } from '../../../ids.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import { ZONE_OF_CONTACT } from '../../contacts/timezone.js';
import { HELD_UNTIL } from '../../delivery/sql/chunks.js';
import { countInWaves } from '../../delivery/sql/waves.js';
import { IS_TRACKED } from '../../emails/sql/delivery.js';
import type { RunningCampaign, RunRef } from './run.js';
import type { ZoneDue } from './timing.js';
import type { VariantRow } from './variants.js';

export interface SnapshotProgress {
  done: boolean;
  totalRecipients: number;
}

const NOTHING_LEFT: SnapshotProgress = { done: true, totalRecipients: 0 };

/** The parameters after those of the audience, whose number is `p` below. */
const valuesOf = (
  { campaignId, projectId }: RunRef,
  campaign: RunningCampaign,
  audience: ContactClause,
  limit: number,
): unknown[] => [
  ...audience.values,
  projectId,
  campaign.snapshotCursor ?? FIRST_ID,
  campaign.startedAt,
  limit,
  campaign.messageId,
  campaignId,
  campaign.type,
  campaign.totalRecipients,
];

/** Counts the emails of `start`, and moves the campaign's cursor after the contacts of `page`. */
const advanceCursor = (p: number): string => `UPDATE campaigns
        SET total_recipients = total_recipients + s.count,
            snapshot_cursor = coalesce((SELECT id FROM page ORDER BY id DESC LIMIT 1), snapshot_cursor),
            snapshot_done = (SELECT count(*) FROM page) < $${p + 4}
       FROM start s
      WHERE campaigns.id = $${p + 6} RETURNING snapshot_done AS done, total_recipients AS "totalRecipients"`;

/** A page of a snapshot. */
export interface SnapshotPage {
  /** The number of contacts. */
  limit: number;
  /** Emails per chunk. */
  chunkSize: number;
}

/**
 * Queues the emails of the next `limit` contacts of the audience, by id, with their chunks, and advances the campaign's
 * cursor.
 */
export async function snapshotPage(
  tx: Queryable,
  run: RunRef,
  campaign: RunningCampaign,
  audience: ContactClause,
  { limit, chunkSize }: SnapshotPage,
): Promise<SnapshotProgress> {
  const p = audience.values.length;
  const { rows } = await tx.query<SnapshotProgress>(
    `WITH page AS MATERIALIZED (
       SELECT c.id, c.email FROM contacts c
        WHERE c.project_id = $${p + 1} AND c.id > $${p + 2} AND c.created_at <= $${p + 3} AND (${audience.sql})
        ORDER BY c.id LIMIT $${p + 4}
     ), start AS MATERIALIZED (
       SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms, $${p + 8}::int AS n, count(*)::int AS count FROM page
     ), queued AS (
       INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, tracked, next_attempt_at)
       SELECT campaign_email_id($${p + 6}, s.ms, s.n + o.number::int), $${p + 1}, $${p + 5}, o.id, $${p + 6}, 'CAMPAIGN', $${p + 7}::email_type, o.email,
              (SELECT ${IS_TRACKED(`$${p + 7}::email_type`)} FROM projects p WHERE p.id = $${p + 1}), ${HELD_UNTIL}
         FROM (SELECT id, email, row_number() OVER (ORDER BY id) AS number FROM page) o CROSS JOIN start s
        ORDER BY o.number
     ), chunked AS (
       INSERT INTO campaign_chunks (project_id, campaign_id, chunk, first_id, last_id, size)
       SELECT $${p + 1}, $${p + 6}, s.n + k.first, campaign_email_id($${p + 6}, s.ms, s.n + k.first), campaign_email_id($${p + 6}, s.ms, s.n + k.last),
              k.last - k.first + 1
         FROM start s CROSS JOIN LATERAL (
           SELECT first, least(first + $${p + 9}::int - 1, s.count) AS last FROM generate_series(1, s.count, $${p + 9}::int) AS first) k
     )
     ${advanceCursor(p)}`,
    [...valuesOf(run, campaign, audience, limit), chunkSize],
  );
  return rows[0] ?? NOTHING_LEFT;
}

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
  run: RunRef,
  campaign: RunningCampaign,
  audience: ContactClause,
  { limit, dues, fallback, isTimed, split }: WavePage,
): Promise<SnapshotProgress> {
  const p = audience.values.length;
  const { rows } = await tx.query<SnapshotProgress>(
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
     ), counted_variants AS (
       INSERT INTO stat_deltas (project_id, campaign_id, variant, day, recipients)
       SELECT $${p + 1}, $${p + 6}, variant, (now() AT TIME ZONE 'UTC')::date, count(*)
         FROM placed WHERE variant IS NOT NULL GROUP BY variant
     )
     ${advanceCursor(p)}`,
    [
      ...valuesOf(run, campaign, audience, limit),
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
  return rows[0] ?? NOTHING_LEFT;
}
