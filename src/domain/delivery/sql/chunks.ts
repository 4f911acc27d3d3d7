/** Leases chunks, makes the results of open chunks durable, and records them in `emails`. */
import type { Queryable } from '../../../db/pool.js';
import { countSent } from '../../analytics/sql/email-figures.js';
import { storeAttempts } from '../../emails/sql/attempts.js';
import { BY_TIMES, IS_PROVEN_SENT } from '../../emails/sql/delivery.js';
import { serverIdOf, storeServerIds } from '../../feedback/sql/origin.js';
import { State, type ChunkBounds, type ResultState } from '../states.js';

/**
 * The `next_attempt_at` of emails that belong to a chunk or wait in campaign_retries. Their `stage` is null, so that the
 * settlement of a sent email changes no index.
 */
export const HELD_UNTIL = `'9999-12-31T00:00:00Z'::timestamptz`;

export interface ChunkRef {
  campaignId: string;
  chunk: number;
}

export interface ChunkRow extends ChunkRef, ChunkBounds {
  projectId: string;
  states: Buffer | null;
  settled: number;
}

const CHUNK_COLUMNS = `k.project_id AS "projectId", k.campaign_id AS "campaignId", k.chunk, k.first_id AS "firstId",
       k.last_id AS "lastId", k.size, k.members, k.states, k.settled`;

/** Returns the campaign $1 if its emails may be sent. */
export const IS_SENDABLE = `
  SELECT c.id FROM campaigns c JOIN projects p ON p.id = c.project_id
   WHERE c.id = $1 AND c.status = 'SENDING' AND NOT p.disabled
     -- If the project has a limit, the complete snapshot is checked before the first email is sent.
     AND (c.snapshot_done OR usage_limit(p, 'CAMPAIGN') IS NULL)`;

/** Inserts a free chunk of the listed emails of the campaign $1. @param emails a query or table with project_id and id */
export const insertMembers = (emails: string): string => `
  INSERT INTO campaign_chunks (project_id, campaign_id, chunk, size, members)
  SELECT project_id, $1, nextval('campaign_chunk_numbers'), count(*)::int, array_agg(id ORDER BY id) FROM ${emails} GROUP BY project_id`;

const LEASE = `
WITH sending AS (${IS_SENDABLE}
), free AS MATERIALIZED (
  SELECT campaign_id, chunk FROM campaign_chunks
   WHERE campaign_id = $1 AND closed_at IS NULL AND owner IS NULL AND EXISTS (SELECT FROM sending)
   -- Retries come first: their numbers are higher.
   ORDER BY first_id IS NOT NULL, chunk LIMIT $2 FOR UPDATE SKIP LOCKED
)
UPDATE campaign_chunks k
   SET owner = $3, lease_until = now() + $4 * interval '1 millisecond', is_journaled = false, is_stopped = false, mark = 0
  FROM free f WHERE k.campaign_id = f.campaign_id AND k.chunk = f.chunk
RETURNING ${CHUNK_COLUMNS}`;

/**
 * Leases up to `limit` free chunks of a sending campaign. The commit is synchronous: if a crash of PostgreSQL lost a
 * lease, two workers would send the chunk.
 */
export async function leaseChunks(
  db: Queryable,
  { campaignId, limit, owner, leaseMs }: { campaignId: string; limit: number; owner: string; leaseMs: number },
): Promise<ChunkRow[]> {
  const { rows } = await db.query<ChunkRow>({
    name: 'chunks-lease',
    text: LEASE,
    values: [campaignId, limit, owner, leaseMs],
  });
  return rows.sort((a, b) => a.chunk - b.chunk);
}

/** The durable part of an open chunk. */
export interface FlushedChunk extends ChunkRef {
  states: Buffer;
  /** The number of recorded results. If more are recorded, `states` is outdated, and the flush skips the chunk. */
  settled: number;
  /** The worker hands over no email at this position or after it until the next flush. */
  mark: number;
  isJournaled: boolean;
  /** Whether the worker hands over nothing more of the chunk. */
  isStopped: boolean;
}

/** A chunk whose lease was extended. */
export interface HeldChunk extends ChunkRef {
  /** Whether the campaign is SENDING and its project enabled. */
  isActive: boolean;
}

/**
 * Makes the results of open chunks durable and extends their leases. A chunk that is missing from the result has lost
 * its lease, or more of its results were recorded in the meantime.
 */
export async function flushChunks(
  db: Queryable,
  owner: string,
  leaseMs: number,
  chunks: readonly FlushedChunk[],
): Promise<HeldChunk[]> {
  const { rows } = await db.query<HeldChunk>({
    name: 'chunks-flush',
    text: `
WITH held AS (
  UPDATE campaign_chunks k
     SET states = u.states, mark = u.mark, is_journaled = u.is_journaled, is_stopped = u.is_stopped,
         lease_until = now() + $2 * interval '1 millisecond'
    FROM unnest($3::uuid[], $4::bigint[], $5::bytea[], $6::int[], $7::boolean[], $8::boolean[], $9::int[])
         AS u(campaign_id, chunk, states, mark, is_journaled, is_stopped, settled)
   WHERE k.campaign_id = u.campaign_id AND k.chunk = u.chunk AND k.owner = $1 AND k.closed_at IS NULL
     AND k.settled = u.settled
  RETURNING k.campaign_id, k.chunk
)
SELECT h.campaign_id AS "campaignId", h.chunk, c.status = 'SENDING' AND NOT p.disabled AS "isActive"
  FROM held h JOIN campaigns c ON c.id = h.campaign_id JOIN projects p ON p.id = c.project_id`,
    values: [
      owner,
      leaseMs,
      chunks.map(({ campaignId }) => campaignId),
      chunks.map(({ chunk }) => chunk),
      chunks.map(({ states }) => states),
      chunks.map(({ mark }) => mark),
      chunks.map(({ isJournaled }) => isJournaled),
      chunks.map(({ isStopped }) => isStopped),
      chunks.map(({ settled }) => settled),
    ],
  });
  return rows;
}

/** The result of an email, to record. */
export interface EmailResult {
  emailId: string;
  state: ResultState;
  error: string | null;
  response: string | null;
  /** `performance.now()` of the server's reply. */
  receivedAt: number;
  /** Milliseconds until the next attempt, for RETRY. */
  retryMs: number;
  /** Whether the server may have accepted the email, although the state is not SENT. */
  isAmbiguous: boolean;
}

export interface Settlement extends ChunkRef {
  owner: string;
  /** The number of recorded results before and after this call. */
  settledBefore: number;
  settledAfter: number;
  /** The states after this call. */
  states: Buffer;
  results: readonly EmailResult[];
  /** What becomes of the chunk: the owner continues, another lease may begin, or it is complete. */
  afterwards: 'keep' | 'release' | 'close';
  /** Requires that the lease has expired. */
  isExpired?: boolean;
}

/** Whether feedback contradicts the result `r`, whose outcome was unknown. */
const IS_PROVEN = `r.is_ambiguous AND ${IS_PROVEN_SENT}`;

/** Sent emails of the campaign $1, for `countSent`. */
const SENT_OF_CAMPAIGN = (recorded: string): string => `
    SELECT project_id, $1::uuid AS campaign_id, NULL::uuid AS template_id, NULL::uuid AS workflow_id,
           'CAMPAIGN'::email_source AS source, type, to_email, sent_at FROM ${recorded}`;

/** Returns a data-modifying statement for a WITH clause. It counts sent emails of the campaign $1, `s`, for its figures. */
const countSentOfCampaign = (sent: string): string => `
  INSERT INTO stat_deltas (project_id, campaign_id, variant, wave, day, sent)
  SELECT s.project_id, $1, s.variant, s.scheduled_for, (now() AT TIME ZONE 'UTC')::date, count(*)
    FROM ${sent} GROUP BY s.project_id, s.variant, s.scheduled_for`;

/** Returns a query that stores the events of the emails `s` of the campaign $1, and returns what `insert_events` returns. */
const sentEvents = (sent: string): string => `
  SELECT i.*
    FROM (SELECT s.project_id, array_agg(s.id) AS emails, array_agg(s.contact_id) AS contacts
            FROM ${sent} GROUP BY s.project_id) e
    CROSS JOIN LATERAL insert_sent_events(e.project_id, jsonb_build_object('campaignId', $1::uuid), e.emails, e.contacts) i`;

const SETTLE = `
WITH mine AS (
  UPDATE campaign_chunks
     SET states = $5, settled = $6, owner = CASE WHEN $7 = 'keep' THEN owner END,
         lease_until = CASE WHEN $7 = 'keep' THEN lease_until END, closed_at = CASE WHEN $7 = 'close' THEN now() END
   WHERE campaign_id = $1 AND chunk = $2 AND owner = $3 AND settled = $4 AND closed_at IS NULL
     AND (NOT $8 OR lease_until < now())
  RETURNING project_id, campaign_id
), result AS (
  SELECT * FROM unnest($9::uuid[], $10::smallint[], $11::text[], $12::text[], $13::int[], $14::float8[], $15::boolean[])
         AS r(id, state, error, response, age_ms, retry_ms, is_ambiguous)
), recorded AS (
  UPDATE emails e
     SET status = CASE
           -- The recipient may open the email before it is recorded as sent. Keep OPENED then.
           WHEN r.state = ${State.SENT} OR ${IS_PROVEN} THEN ${BY_TIMES}
           WHEN r.state = ${State.CANCELLED}
             OR r.state = ${State.RETRY} AND (SELECT status FROM campaigns WHERE id = $1) = 'CANCELLED' THEN 'CANCELLED'
           WHEN r.state = ${State.RETRY} THEN 'PENDING'
           ELSE 'FAILED' END,
         attempts = e.attempts + 1, error = CASE WHEN NOT (${IS_PROVEN}) THEN r.error END, response = r.response,
         ambiguous = e.ambiguous OR r.is_ambiguous,
         sent_at = CASE WHEN r.state = ${State.SENT} OR ${IS_PROVEN} THEN now() - r.age_ms * interval '1 millisecond' END
    FROM mine m CROSS JOIN result r
   WHERE e.id = r.id
     -- An email whose contact was deleted while the email was in flight is CANCELLED, although it was sent.
     AND (e.status = 'PENDING' OR e.status = 'CANCELLED' AND r.state = ${State.SENT})
  RETURNING e.id, e.project_id, e.contact_id, e.status, e.sent_at IS NOT NULL AS was_sent, r.retry_ms, r.is_ambiguous,
            e.attempts, e.response, e.error, e.type, e.to_email, e.sent_at, e.variant, e.scheduled_for
), retried AS (
  INSERT INTO campaign_retries (project_id, campaign_id, email_id, due_at)
  SELECT project_id, $1, id, now() + retry_ms * interval '1 millisecond' FROM recorded WHERE status = 'PENDING'
  ON CONFLICT (campaign_id, email_id) DO UPDATE SET due_at = excluded.due_at
), attempted AS (${storeAttempts(`
    SELECT project_id, id, attempts, CASE WHEN is_ambiguous THEN 'UNKNOWN' WHEN status = 'PENDING' THEN 'DEFERRED' ELSE 'FAILED' END,
           response, error
      FROM recorded WHERE status IN ('PENDING', 'FAILED')`)}
), failed AS (
  SELECT uuid_v7(), s.project_id, s.contact_id, s.id AS email_id, 'email.failed' AS name,
         jsonb_strip_nulls(jsonb_build_object('campaignId', $1::uuid, 'error', s.error,
                                              'ambiguous', CASE WHEN s.is_ambiguous THEN true END)) AS data,
         now() AS created_at, NULL::text AS trace
    FROM recorded s WHERE s.status = 'FAILED'
), intent AS (
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  ${sentEvents('recorded s WHERE s.was_sent')}
   UNION ALL
  SELECT i.* FROM insert_events(ARRAY(SELECT f::new_event FROM failed f)) i
), counted AS (${countSentOfCampaign('recorded s WHERE s.was_sent')}
), counted_by_minute AS (${countSent(SENT_OF_CAMPAIGN('recorded WHERE was_sent'))}
), identified AS (${storeServerIds('SELECT * FROM unnest($16::uuid[], $17::text[])')}
)
SELECT FROM mine`;

/**
 * Returns an array literal of PostgreSQL for ids, numbers, or booleans, which need no quotes. The driver quotes each
 * element, which takes five times as long.
 */
const plainArray = <T>(rows: readonly T[], valueOf: (row: T) => string | number | boolean): string =>
  `{${rows.map(valueOf).join(',')}}`;

const agesAt =
  (now: number) =>
  ({ receivedAt }: EmailResult): number =>
    Math.round(now - receivedAt);

/** Returns two parameters: the ids of the emails to which mail servers gave an id, and those ids. */
function serverIds(results: readonly EmailResult[]): [string, string[]] {
  const identified = results.flatMap(({ emailId, response }) => {
    const serverId = serverIdOf(response);
    return serverId === null ? [] : [{ emailId, serverId }];
  });
  return [plainArray(identified, ({ emailId }) => emailId), identified.map(({ serverId }) => serverId)];
}

/**
 * Records results of a chunk: the emails, their events, the figures, and the retries, in one statement.
 *
 * @returns false if the chunk does not belong to `owner` any more, or if this call was committed before; nothing changed
 */
export async function settleChunk(db: Queryable, settlement: Settlement): Promise<boolean> {
  const { results } = settlement;
  const { rowCount } = await db.query({
    name: 'chunks-settle',
    text: SETTLE,
    values: [
      settlement.campaignId,
      settlement.chunk,
      settlement.owner,
      settlement.settledBefore,
      settlement.states,
      settlement.settledAfter,
      settlement.afterwards,
      settlement.isExpired ?? false,
      plainArray(results, ({ emailId }) => emailId),
      plainArray(results, ({ state }) => state),
      results.map(({ error }) => error),
      results.map(({ response }) => response),
      plainArray(results, agesAt(performance.now())),
      plainArray(results, ({ retryMs }) => retryMs),
      plainArray(results, ({ isAmbiguous }) => isAmbiguous),
      ...serverIds(results),
    ],
  });
  return rowCount === 1;
}

/** Returns the number of recorded results of a chunk that `owner` holds; null if it does not hold the chunk. */
export async function readSettled(
  db: Queryable,
  { campaignId, chunk }: ChunkRef,
  owner: string,
): Promise<number | null> {
  const { rows } = await db.query<{ settled: number }>({
    name: 'chunks-read-settled',
    text: `SELECT settled FROM campaign_chunks WHERE campaign_id = $1 AND chunk = $2 AND owner = $3 AND closed_at IS NULL`,
    values: [campaignId, chunk, owner],
  });
  return rows[0]?.settled ?? null;
}

/**
 * Records emails as sent that another worker had settled as unknown, because it assumed that this worker was dead.
 *
 * @returns the ids of the emails that are still neither sent nor unknown
 */
export async function recordLateResults(
  db: Queryable,
  campaignId: string,
  results: readonly EmailResult[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'chunks-late-results',
    text: `
WITH result AS (
  SELECT * FROM unnest($2::uuid[], $3::text[], $4::int[]) AS r(id, response, age_ms)
), recorded AS (
  UPDATE emails e
     SET status = ${BY_TIMES}, error = NULL, response = r.response, sent_at = now() - r.age_ms * interval '1 millisecond'
    FROM result r
   WHERE e.id = r.id AND e.campaign_id = $1 AND e.ambiguous AND e.status IN ('FAILED', 'PENDING', 'CANCELLED')
  RETURNING e.id, e.project_id, e.contact_id, e.type, e.to_email, e.sent_at, e.variant, e.scheduled_for
), unqueued AS (
  DELETE FROM campaign_retries q USING recorded s WHERE q.campaign_id = $1 AND q.email_id = s.id
), intent AS (
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  ${sentEvents('recorded s')}
), counted AS (${countSentOfCampaign('recorded s')}
), counted_by_minute AS (${countSent(SENT_OF_CAMPAIGN('recorded'))}
), identified AS (${storeServerIds('SELECT * FROM unnest($5::uuid[], $6::text[])')}
)
SELECT e.id FROM emails e JOIN result r ON r.id = e.id
 WHERE e.status = 'PENDING' AND NOT EXISTS (SELECT FROM recorded s WHERE s.id = e.id)`,
    values: [
      campaignId,
      plainArray(results, ({ emailId }) => emailId),
      results.map(({ response }) => response),
      plainArray(results, agesAt(performance.now())),
      ...serverIds(results),
    ],
  });
  return rows.map(({ id }) => id);
}

/** An open chunk of a worker that may be dead. */
export interface LeasedChunk extends ChunkRow {
  owner: string;
  mark: number;
  isJournaled: boolean;
  /** Whether its emails with an unknown outcome are sent again, whatever the policy is. */
  resendsUnknown: boolean;
}

const LEASED_COLUMNS = `${CHUNK_COLUMNS}, k.owner, k.mark, k.is_journaled AS "isJournaled",
       (SELECT c.resends_unknown FROM campaigns c WHERE c.id = k.campaign_id) AS "resendsUnknown"`;

/** Returns the open chunks of a worker. */
export async function chunksOfOwner(db: Queryable, owner: string): Promise<LeasedChunk[]> {
  const { rows } = await db.query<LeasedChunk>({
    name: 'chunks-of-owner',
    text: `SELECT ${LEASED_COLUMNS}
             FROM campaign_chunks k WHERE k.closed_at IS NULL AND k.owner = $1 ORDER BY k.campaign_id, k.chunk`,
    values: [owner],
  });
  return rows;
}

/**
 * Returns up to `limit` chunks whose lease has expired, except shortly after PostgreSQL has started: then no worker
 * could extend its leases.
 */
export async function expiredChunks(db: Queryable, leaseMs: number, limit: number): Promise<LeasedChunk[]> {
  const { rows } = await db.query<LeasedChunk>({
    name: 'chunks-expired',
    text: `SELECT ${LEASED_COLUMNS}
             FROM campaign_chunks k
            WHERE k.closed_at IS NULL AND k.owner IS NOT NULL AND k.lease_until < now()
              AND pg_postmaster_start_time() < now() - $1 * interval '1 millisecond'
            ORDER BY k.lease_until LIMIT $2`,
    values: [leaseMs, limit],
  });
  return rows;
}
