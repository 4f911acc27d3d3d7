/** The emails of a campaign that wait for their local time: taken by a worker when they are due. */
import type { Queryable } from '../../../db/pool.js';
import { ZONE_OF_CONTACT } from '../../contacts/timezone.js';
import type { SendWindow } from '../../send-window.js';
import { zoneForDatabase } from '../../timezone.js';
import { TAKE_RETRIES } from './campaigns.js';
import { HELD_UNTIL, insertMembers, IS_SENDABLE } from './chunks.js';

/** Emails that fail together. */
const LATE_LIMIT = 1000;
/** Emails of the rest after a test that become due together. */
const REST_PAGE = 10_000;

interface Due {
  campaignId: string;
  /** The moment until which emails are due: that of the Temporal workflow, whose clock may differ. */
  until: Date;
}

/** Parts of a WITH clause: `due` locks up to $3 emails that are due at $2, if the campaign $1 may be sent. */
const DUE = `
sending AS (${IS_SENDABLE}
), due AS MATERIALIZED (
  SELECT id, contact_id, attempts, scheduled_for FROM emails
   WHERE campaign_id = $1 AND stage = 'SCHEDULED' AND next_attempt_at <= $2 AND EXISTS (SELECT FROM sending)
   ORDER BY next_attempt_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
)`;

/** Makes emails pending that belong to a chunk. @param due a query or table with the ids of locked emails, `d` */
const release = (due: string): string => `
  UPDATE emails e SET status = 'PENDING', next_attempt_at = ${HELD_UNTIL}
    FROM ${due} WHERE e.id = d.id AND e.status = 'SCHEDULED' RETURNING e.project_id, e.id`;

/**
 * Moves up to `limit` due emails to a free chunk, if the campaign may be sent.
 *
 * Not prepared: each call is planned for the current size of the index.
 *
 * @returns whether there were any
 */
export async function takeDue(db: Queryable, { campaignId, until }: Due, limit: number): Promise<boolean> {
  const { rowCount } = await db.query(`WITH ${DUE}, released AS (${release('due d')}) ${insertMembers('released')}`, [
    campaignId,
    until,
    limit,
  ]);
  return (rowCount ?? 0) > 0;
}

/** When a send window is open next in a time zone: from the moment that was asked for on, if it is open. */
export interface Opening {
  zone: string;
  at: Date;
}

/** When a send window is open next. */
export interface Openings {
  /** In the time zones of recipients; empty if the window has a zone of its own. */
  ofZones: readonly Opening[];
  /** For recipients without a known time zone, or for all. */
  fallback: Opening;
}

/** Returns when a window is open from `now` on, in each of the time zones. */
export async function selectOpenings(
  db: Queryable,
  sendWindow: SendWindow,
  zones: readonly string[],
  now: Date,
): Promise<Opening[]> {
  const { rows } = await db.query<Opening>(
    `SELECT z.name AS zone, next_open($1::jsonb, $2, z.stored) AS at FROM unnest($3::text[], $4::text[]) AS z(name, stored)`,
    [sendWindow, now, zones, zones.map(zoneForDatabase)],
  );
  return rows;
}

/** Makes due retries of a campaign scheduled, so that they wait for its send window. @returns whether there were any */
export async function scheduleRetries(db: Queryable, { campaignId, until }: Due): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'delivery-schedule-retries',
    text: `
WITH due AS (${TAKE_RETRIES})
UPDATE emails e SET status = 'SCHEDULED', next_attempt_at = $2 FROM due WHERE e.id = due.id AND e.status = 'PENDING'`,
    values: [campaignId, until],
  });
  return (rowCount ?? 0) > 0;
}

/**
 * Counts emails in their waves.
 *
 * @param campaignId a parameter
 * @param emails a query or table with project_id, due_at, zone, and fell_back (whether the recipient's zone is not known)
 */
export const countInWaves = (campaignId: string, emails: string): string => `
  INSERT INTO campaign_waves AS w (project_id, campaign_id, due_at, zones, total, fallback)
  SELECT project_id, ${campaignId}, due_at, array_agg(zone ORDER BY count DESC, zone), sum(count), sum(fallback)
    FROM (SELECT project_id, due_at, zone, count(*) AS count, count(*) FILTER (WHERE fell_back) AS fallback
            FROM ${emails} GROUP BY project_id, due_at, zone) z
   GROUP BY project_id, due_at ORDER BY due_at
  ON CONFLICT (campaign_id, due_at) DO UPDATE
    SET total = w.total + excluded.total, fallback = w.fallback + excluded.fallback,
        zones = w.zones || ARRAY(SELECT z FROM unnest(excluded.zones) AS z WHERE z <> ALL (w.zones))`;

/**
 * Takes due emails as takeDue does, where the send window is open, and moves the others to its next opening, with their waves.
 *
 * @returns whether any email was taken or moved
 */
export async function takeOpen(
  db: Queryable,
  { campaignId, until }: Due,
  limit: number,
  { ofZones, fallback }: Openings,
): Promise<boolean> {
  const { rows } = await db.query<{ count: number }>(
    `WITH ${DUE}, opening AS MATERIALIZED (
  SELECT lower(zone) AS key, zone, at FROM unnest($4::text[], $5::timestamptz[]) AS o(zone, at)
), placed AS MATERIALIZED (
  SELECT d.*, coalesce(o.at, $7::timestamptz) AS at, coalesce(o.zone, $6) AS zone,
         o.zone IS NULL AND EXISTS (SELECT FROM opening) AS fell_back
    FROM due d
    LEFT JOIN LATERAL (SELECT ${ZONE_OF_CONTACT} AS key FROM contacts c WHERE c.id = d.contact_id LIMIT 1) z ON true
    LEFT JOIN opening o ON o.key = z.key
), released AS (${release('(SELECT id FROM placed WHERE at <= $2) d')}
), moved AS (
  UPDATE emails e
     -- A retry keeps its header Date.
     SET next_attempt_at = p.at, scheduled_for = CASE WHEN p.attempts = 0 THEN p.at ELSE e.scheduled_for END
    FROM placed p WHERE e.id = p.id AND e.status = 'SCHEDULED' AND p.at > $2
  RETURNING e.project_id, p.attempts, p.scheduled_for AS before, p.at, p.zone, p.fell_back
), left_wave AS (
  UPDATE campaign_waves w SET total = w.total - m.count, fallback = w.fallback - m.fallback
    FROM (SELECT before, count(*) AS count, count(*) FILTER (WHERE fell_back) AS fallback
            FROM moved WHERE attempts = 0 GROUP BY before) m
   WHERE w.campaign_id = $1 AND w.due_at = m.before
), joined_wave AS (${countInWaves('$1', '(SELECT *, at AS due_at FROM moved WHERE attempts = 0) m')}
), chunked AS (${insertMembers('released')}
)
SELECT count(*)::int AS count FROM due`,
    [
      campaignId,
      until,
      limit,
      ofZones.map(({ zone }) => zone),
      ofZones.map(({ at }) => at),
      fallback.zone,
      fallback.at,
    ],
  );
  return (rows[0]?.count ?? 0) > 0;
}

/**
 * Fails emails whose time passed too long ago: after an outage, an email of the morning must not arrive at night.
 *
 * @param until the moment before which an email is too late
 * @returns the number of emails
 */
export async function failLate(db: Queryable, { campaignId, until }: Due): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `WITH late AS MATERIALIZED (
  SELECT id FROM emails
   WHERE campaign_id = $1 AND stage = 'SCHEDULED' AND next_attempt_at < $2
   ORDER BY next_attempt_at, id LIMIT ${LATE_LIMIT} FOR UPDATE SKIP LOCKED
), failed AS (
  UPDATE emails e SET status = 'FAILED', error = 'LATE: the local time for which the email was scheduled had passed.'
    FROM late WHERE e.id = late.id AND e.status = 'SCHEDULED' RETURNING e.id, e.project_id, e.contact_id, e.error
), happened AS (
  SELECT uuid_v7(), f.project_id, f.contact_id, f.id AS email_id, 'email.failed' AS name,
         jsonb_build_object('campaignId', $1::uuid, 'error', f.error) AS data, now() AS created_at, NULL::text AS trace
    FROM failed f
), intent AS (
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_events(ARRAY(SELECT h::new_event FROM happened h)) i
)
SELECT count(*)::int AS count FROM failed`,
    [campaignId, until],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Returns when the next scheduled email of a campaign is due; null without any; `held` if all of them wait for the winner of a
 * test.
 */
export async function nextDue(db: Queryable, campaignId: string): Promise<Date | 'held' | null> {
  const { rows } = await db.query<{ due: Date; isHeld: boolean }>(
    `SELECT next_attempt_at AS due, next_attempt_at = ${HELD_UNTIL} AS "isHeld" FROM emails
      WHERE campaign_id = $1 AND stage = 'SCHEDULED' ORDER BY next_attempt_at LIMIT 1`,
    [campaignId],
  );
  const [row] = rows;
  return row ? (row.isHeld ? 'held' : row.due) : null;
}

/** Makes held emails of the rest due, with the content of the winner. @returns their number */
export async function releaseRest(
  db: Queryable,
  campaignId: string,
  { messageId, now }: { messageId: string; now: Date },
): Promise<number> {
  const { rowCount } = await db.query(
    `WITH held AS MATERIALIZED (
       SELECT id FROM emails
        WHERE campaign_id = $1 AND stage = 'SCHEDULED' AND next_attempt_at = ${HELD_UNTIL}
        ORDER BY id LIMIT ${REST_PAGE} FOR UPDATE SKIP LOCKED)
     UPDATE emails e SET message_id = $2, next_attempt_at = $3 FROM held WHERE e.id = held.id AND e.status = 'SCHEDULED'`,
    [campaignId, messageId, now],
  );
  return rowCount ?? 0;
}
