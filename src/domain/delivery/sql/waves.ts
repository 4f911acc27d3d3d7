/** The emails of a campaign that wait for their local time: taken by a worker when they are due. */
import type { Queryable } from '../../../db/pool.js';
import { HELD_UNTIL, IS_SENDABLE } from './chunks.js';

/** Emails that fail together. */
const LATE_LIMIT = 1000;

interface Due {
  campaignId: string;
  /** The moment until which emails are due: that of the Temporal workflow, whose clock may differ. */
  until: Date;
}

/**
 * Moves up to `limit` due emails to a free chunk, if the campaign may be sent.
 *
 * Not prepared: each call is planned for the current size of the index.
 *
 * @returns whether there were any
 */
export async function takeDue(db: Queryable, { campaignId, until }: Due, limit: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `WITH sending AS (${IS_SENDABLE}
), due AS MATERIALIZED (
  SELECT id FROM emails
   WHERE campaign_id = $1 AND stage = 'SCHEDULED' AND next_attempt_at <= $2 AND EXISTS (SELECT FROM sending)
   ORDER BY next_attempt_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
), released AS (
  UPDATE emails e SET status = 'PENDING', next_attempt_at = ${HELD_UNTIL}
    FROM due WHERE e.id = due.id AND e.status = 'SCHEDULED' RETURNING e.project_id, e.id
), gathered AS (
  SELECT project_id, array_agg(id ORDER BY id) AS members, count(*)::int AS size FROM released GROUP BY project_id
)
INSERT INTO campaign_chunks (project_id, campaign_id, chunk, size, members)
SELECT project_id, $1, nextval('campaign_chunk_numbers'), size, members FROM gathered`,
    [campaignId, until, limit],
  );
  return (rowCount ?? 0) > 0;
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

/** Returns when the next scheduled email of a campaign is due; null without any. */
export async function nextDue(db: Queryable, campaignId: string): Promise<Date | null> {
  const { rows } = await db.query<{ due: Date }>(
    `SELECT next_attempt_at AS due FROM emails WHERE campaign_id = $1 AND stage = 'SCHEDULED' ORDER BY next_attempt_at LIMIT 1`,
    [campaignId],
  );
  return rows[0]?.due ?? null;
}
