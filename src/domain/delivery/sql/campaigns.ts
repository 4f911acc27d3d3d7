/** What is left of a campaign: its open chunks and retries, their cancellation, and emails without a chunk. */
import type { Queryable } from '../../../db/pool.js';
import type { SendWindow } from '../../send-window.js';
import { HELD_UNTIL, insertMembers } from './chunks.js';

/** The number of emails of a campaign without a recorded result: in open chunks, in retries, without a chunk, and scheduled. */
export const PENDING_EMAILS = (campaignId: string): string => `(
  SELECT (SELECT coalesce(sum(k.size - k.settled), 0) FROM campaign_chunks k WHERE k.campaign_id = ${campaignId} AND k.closed_at IS NULL)
         + (SELECT count(*) FROM campaign_retries r WHERE r.campaign_id = ${campaignId})
         + (SELECT count(*) FROM emails e WHERE e.campaign_id = ${campaignId} AND e.stage IN ('SCHEDULED', 'PENDING', 'SENDING')))`;

/** The hours in which the campaign `c` of the project `p` may be sent. A project's are for bulk email. */
export const SEND_WINDOW = `coalesce(c.send_window, CASE WHEN c.type <> 'TRANSACTIONAL' THEN p.send_window END)`;

/** A campaign that a lane sends. */
export interface SendingCampaign {
  messageId: string | null;
  /** Whether it is SENDING and its project enabled. */
  isActive: boolean;
  snapshotDone: boolean;
  /** Whether it has scheduled emails. */
  hasWaves: boolean;
  /** Hours after which scheduled emails are not sent any more; null: always. */
  maxLateness: number | null;
  /** The hours in which it may be sent; null: always. */
  sendWindow: SendWindow | null;
  /** For recipients without a known time zone. */
  fallbackTimezone: string;
  /** The message for the rest of the audience; null before the decision about a test. */
  winnerMessageId: string | null;
}

/** Returns the state of a campaign; null if it does not exist. */
export async function readSendingCampaign(db: Queryable, campaignId: string): Promise<SendingCampaign | null> {
  const { rows } = await db.query<SendingCampaign>({
    name: 'delivery-campaign',
    text: `SELECT c.message_id AS "messageId", c.status = 'SENDING' AND NOT p.disabled AS "isActive",
                  c.snapshot_done AS "snapshotDone", (c.local_schedule ->> 'maxLateness')::int AS "maxLateness",
                  c.variants IS NOT NULL OR EXISTS (SELECT FROM campaign_waves w WHERE w.campaign_id = c.id) AS "hasWaves",
                  (SELECT v.message_id FROM campaign_variants v
                    WHERE v.campaign_id = c.id AND v.id = c.decision ->> 'variant') AS "winnerMessageId", ${SEND_WINDOW} AS "sendWindow",
                  coalesce(c.local_schedule ->> 'fallbackTimezone', p.timezone) AS "fallbackTimezone"
             FROM campaigns c JOIN projects p ON p.id = c.project_id WHERE c.id = $1`,
    values: [campaignId],
  });
  return rows[0] ?? null;
}

/** Takes up to 1,000 due retries of the campaign $1 from their queue. */
export const TAKE_RETRIES = `
  DELETE FROM campaign_retries
   WHERE campaign_id = $1
     AND email_id = ANY (ARRAY(
           SELECT email_id FROM campaign_retries
            WHERE campaign_id = $1 AND due_at <= now() ORDER BY due_at LIMIT 1000 FOR UPDATE SKIP LOCKED))
  RETURNING project_id, email_id AS id`;

/** Moves up to 1,000 due retries of a campaign to a chunk. @returns whether there were any */
export async function gatherDueRetries(db: Queryable, campaignId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'delivery-gather-retries',
    text: `WITH due AS (${TAKE_RETRIES}) ${insertMembers('due')}`,
    values: [campaignId],
  });
  return (rowCount ?? 0) > 0;
}

/** The unfinished emails of a campaign. */
export interface OpenWork {
  /** Emails without a recorded result. */
  pending: number;
  /** Whether a worker holds a chunk, or an earlier version's worker holds emails. */
  isHeld: boolean;
  /** When the next retry is due; null without retries. */
  nextRetryAt: Date | null;
}

/** Returns what is left of a campaign. */
export async function readOpenWork(db: Queryable, campaignId: string): Promise<OpenWork> {
  const { rows } = await db.query<OpenWork>({
    name: 'delivery-open-work',
    text: `
SELECT k.pending + r.count + held.count AS pending, k.held > 0 OR held.count > 0 AS "isHeld", r.due AS "nextRetryAt"
  FROM (SELECT coalesce(sum(size - settled), 0) AS pending, count(owner) AS held
          FROM campaign_chunks WHERE campaign_id = $1 AND closed_at IS NULL) k
 CROSS JOIN (SELECT count(*) AS count, min(due_at) AS due FROM campaign_retries WHERE campaign_id = $1) r
 -- Emails that a worker of an earlier version holds.
 CROSS JOIN (SELECT count(*) AS count FROM emails WHERE stage = 'SENDING' AND campaign_id = $1) held`,
    values: [campaignId],
  });
  return rows[0] ?? { pending: 0, isHeld: false, nextRetryAt: null };
}

/**
 * Puts up to `limit` pending emails of a campaign without a chunk into one: emails that were queued, or settled as due
 * again, by a worker of an earlier version.
 *
 * @returns the number of emails
 */
export async function adoptEmails(db: Queryable, campaignId: string, limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'delivery-adopt',
    text: `
WITH due AS MATERIALIZED (
  SELECT id FROM emails WHERE campaign_id = $1 AND stage = 'PENDING'
   ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
), adopted AS (
  UPDATE emails e SET next_attempt_at = ${HELD_UNTIL} FROM due WHERE e.id = due.id RETURNING e.project_id, e.id
)
${insertMembers('adopted')} RETURNING size AS count`,
    values: [campaignId, limit],
  });
  return rows[0]?.count ?? 0;
}

/**
 * Cancels emails of a canceled campaign that no worker holds: in `chunks` free chunks, and as many thousands of retries
 * and of scheduled and other emails without a chunk.
 *
 * @returns whether there may be more
 */
export async function cancelFreeEmails(db: Queryable, campaignId: string, chunks: number): Promise<boolean> {
  const { rows } = await db.query<{ hasMore: boolean }>({
    name: 'delivery-cancel-free',
    // Locked rows are skipped: a worker leases the chunk, or updates the emails, and finds the campaign canceled.
    text: `
WITH free AS MATERIALIZED (
  SELECT chunk, first_id, last_id, members FROM campaign_chunks
   WHERE campaign_id = $1 AND closed_at IS NULL AND owner IS NULL ORDER BY chunk LIMIT $2 FOR UPDATE SKIP LOCKED
), closed AS (
  UPDATE campaign_chunks k SET closed_at = now(), settled = k.size, states = NULL, members = NULL
    FROM free f WHERE k.campaign_id = $1 AND k.chunk = f.chunk
), of_range AS (
  UPDATE emails e SET status = 'CANCELLED'
    FROM free f WHERE f.members IS NULL AND e.id BETWEEN f.first_id AND f.last_id AND e.status = 'PENDING'
), retry AS (
  DELETE FROM campaign_retries
   WHERE campaign_id = $1
     AND email_id = ANY (ARRAY(
           SELECT email_id FROM campaign_retries WHERE campaign_id = $1 LIMIT $2 * 1000 FOR UPDATE SKIP LOCKED))
  RETURNING email_id
), unheld AS MATERIALIZED (
  SELECT id FROM emails WHERE campaign_id = $1 AND stage IN ('SCHEDULED', 'PENDING')
   LIMIT $2 * 1000 FOR UPDATE SKIP LOCKED
), listed AS (
  SELECT unnest(members) AS id FROM free WHERE members IS NOT NULL
  UNION ALL SELECT email_id FROM retry
  UNION ALL SELECT id FROM unheld
), of_list AS (
  UPDATE emails e SET status = 'CANCELLED' FROM listed l WHERE e.id = l.id AND e.status IN ('SCHEDULED', 'PENDING')
)
SELECT (SELECT count(*) FROM free) = $2 OR (SELECT count(*) FROM retry) = $2 * 1000 OR (SELECT count(*) FROM unheld) = $2 * 1000 AS "hasMore"`,
    values: [campaignId, chunks],
  });
  return rows[0]?.hasMore ?? false;
}

/** Whether a worker may hand over another email of a campaign: it holds a chunk and has not confirmed that it stopped. */
export async function isHandingOver(db: Queryable, campaignId: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>({
    name: 'delivery-is-handing-over',
    text: `SELECT EXISTS (SELECT FROM campaign_chunks
                           WHERE campaign_id = $1 AND closed_at IS NULL AND owner IS NOT NULL AND NOT is_stopped
                             AND lease_until > now()) AS found`,
    values: [campaignId],
  });
  return rows[0]?.found ?? false;
}

/** Deletes the closed chunks of a campaign that has ended. Until then, the list of its recipients reads them. */
export async function deleteClosedChunks(db: Queryable, campaignId: string): Promise<void> {
  await db.query({
    name: 'delivery-delete-closed',
    text: `DELETE FROM campaign_chunks WHERE campaign_id = $1 AND closed_at IS NOT NULL`,
    values: [campaignId],
  });
}
