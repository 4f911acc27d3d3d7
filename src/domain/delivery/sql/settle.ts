/** Records the results of chunks in `emails`, with their events, figures, and retries. */
import type { Queryable } from '../../../db/pool.js';
import { countSent } from '../../analytics/sql/email-figures.js';
import { storeAttempts } from '../../emails/sql/attempts.js';
import { BY_TIMES, IS_PROVEN_SENT } from '../../emails/sql/delivery.js';
import { serverIdOf, storeServerIds } from '../../feedback/sql/origin.js';
import { State, type ResultState } from '../states.js';
import type { ChunkRef } from './chunks.js';

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
