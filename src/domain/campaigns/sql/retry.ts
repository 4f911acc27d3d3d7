/** The retry of a campaign's failed emails, and their reasons. */
import type { Queryable } from '../../../db/pool.js';
import { HELD_UNTIL } from '../../delivery/sql/chunks.js';
import { FIRST_ID } from '../../../ids.js';

/** The failed emails `e` to send again. Emails with an unknown outcome only on request. */
const RETRIED = (includesUnknown: string): string =>
  `e.campaign_id = $1 AND e.stage = 'FAILED' AND (${includesUnknown} OR NOT e.ambiguous)`;

/** Locks a campaign. @returns whether it is SENT; null if it does not exist */
export async function lockSentCampaign(tx: Queryable, projectId: string, id: string): Promise<boolean | null> {
  const { rows } = await tx.query<{ isSent: boolean }>({
    name: 'campaign-lock-sent',
    text: `SELECT status = 'SENT' AS "isSent" FROM campaigns WHERE project_id = $1 AND id = $2 FOR NO KEY UPDATE`,
    values: [projectId, id],
  });
  return rows[0]?.isSent ?? null;
}

export async function countRetried(db: Queryable, campaignId: string, includesUnknown: boolean): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'campaign-count-retried',
    text: `SELECT count(*) AS count FROM emails e WHERE ${RETRIED('$2')}`,
    values: [campaignId, includesUnknown],
  });
  return rows[0]?.count ?? 0;
}

/** SENT → SENDING for the failed emails of a locked campaign. @returns the new attempt */
export async function startRetry(tx: Queryable, campaignId: string, includesUnknown: boolean): Promise<number> {
  const { rows } = await tx.query<{ attempt: number }>({
    name: 'campaign-start-retry',
    text: `UPDATE campaigns
              SET status = 'SENDING', attempt = attempt + 1, snapshot_done = false, retry_cursor = $3,
                  resends_unknown = $2, updated_at = now()
            WHERE id = $1 AND status = 'SENT' RETURNING attempt`,
    values: [campaignId, includesUnknown, FIRST_ID],
  });
  return rows[0]?.attempt ?? 0;
}

/** A page of failed emails. */
export interface FailedPage {
  /** The page starts after the email with this id, because an email can fail again during the retry. */
  after: string;
  includesUnknown: boolean;
  limit: number;
  /** Emails per chunk. */
  chunkSize: number;
}

/** Queues the next failed emails in chunks, and advances the campaign's cursor. */
export async function queueFailedPage(
  tx: Queryable,
  { campaignId }: { campaignId: string },
  { after, includesUnknown, limit, chunkSize }: FailedPage,
): Promise<{ done: boolean; totalRecipients: number }> {
  const { rows } = await tx.query<{ done: boolean; totalRecipients: number }>({
    name: 'campaign-queue-failed',
    // Feedback can prove in the meantime that an email was sent.
    text: `
WITH page AS MATERIALIZED (
  SELECT e.id FROM emails e WHERE ${RETRIED('$3')} AND e.id > $2 ORDER BY e.id LIMIT $4
), queued AS (
  UPDATE emails e
     SET status = 'PENDING', attempts = 0, error = NULL, response = NULL, next_attempt_at = ${HELD_UNTIL}
    FROM page WHERE e.id = page.id AND e.status = 'FAILED' AND ($3 OR NOT e.ambiguous)
  RETURNING e.project_id, e.id
), chunk AS (
  SELECT project_id, array_agg(id ORDER BY id) AS members, count(*)::int AS size
    FROM (SELECT project_id, id, (row_number() OVER (ORDER BY id) - 1) / $5::int AS number FROM queued) numbered
   GROUP BY project_id, number
), chunked AS (
  INSERT INTO campaign_chunks (project_id, campaign_id, chunk, size, members)
  SELECT project_id, $1, nextval('campaign_chunk_numbers'), size, members FROM chunk
)
UPDATE campaigns
   SET retry_cursor = coalesce((SELECT id FROM page ORDER BY id DESC LIMIT 1), retry_cursor),
       snapshot_done = (SELECT count(*) FROM page) < $4
 WHERE id = $1 RETURNING snapshot_done AS done, total_recipients AS "totalRecipients"`,
    values: [campaignId, after, includesUnknown, limit, chunkSize],
  });
  return rows[0] ?? { done: true, totalRecipients: 0 };
}

/** A reason for failures of a campaign's emails. */
export interface FailureGroup {
  /** The reply, or our reason without a reply. Addresses and ids are replaced by placeholders. */
  response: string;
  count: number;
  emailId: string;
  email: string;
  /** The complete reply for this email. */
  reply: string;
}

/** Replies that differ only in the address or the server's id of the email are the same reason. */
const REASON = `
  regexp_replace(
    regexp_replace(coalesce(e.response, e.error, ''), '[^[:space:]<>:;,()]+@[^[:space:]<>:;,()]+', '…', 'g'),
    '\\m(?=[[:alnum:]._-]*[0-9])(?=[[:alnum:]._-]*[[:alpha:]])[[:alnum:]._-]{8,}', '…', 'g')`;

/** Returns the most frequent reasons, and the number of all failed emails. */
export async function groupFailures(
  db: Queryable,
  campaignId: string,
  limit: number,
): Promise<{ groups: FailureGroup[]; total: number }> {
  const { rows } = await db.query<FailureGroup & { total: number }>({
    name: 'campaign-failures',
    text: `
WITH reason AS (
  SELECT ${REASON} AS response, count(*) AS count, min(e.id::text)::uuid AS id
    FROM emails e WHERE e.campaign_id = $1 AND e.stage = 'FAILED' GROUP BY 1
), top AS MATERIALIZED (
  SELECT *, (SELECT coalesce(sum(count), 0)::bigint FROM reason) AS total
    FROM reason ORDER BY count DESC, response LIMIT $2
)
SELECT top.response, top.count, e.id AS "emailId", e.to_email AS email, coalesce(e.response, e.error, '') AS reply, top.total
  FROM top CROSS JOIN LATERAL (SELECT * FROM emails WHERE id = top.id LIMIT 1) e
 ORDER BY top.count DESC, top.response`,
    values: [campaignId, limit],
  });
  return {
    groups: rows.map(({ total: _total, ...group }) => group),
    total: rows[0]?.total ?? 0,
  };
}
