/** Heartbeats of workers, and what becomes of the emails that a dead worker or a lost connection left claimed. */
import type { Queryable } from '../../../db/pool.js';
import { countSent } from '../../analytics/sql/email-figures.js';
import { storeAttempts } from './attempts.js';
import { BY_TIMES, IS_PROVEN_SENT } from './delivery.js';

/** Records that a worker is alive. @returns the time, by the clock of PostgreSQL */
export async function heartbeat(db: Queryable, workerId: string): Promise<Date> {
  const { rows } = await db.query<{ at: Date }>({
    name: 'worker-heartbeat',
    text: `INSERT INTO worker_instances (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET heartbeat_at = now()
           RETURNING heartbeat_at AS at`,
    values: [workerId],
  });
  return rows[0]?.at ?? new Date(0);
}

/** Records whether a worker's journal has everything that it hands over. The worker must have a heartbeat. */
export async function declareJournal(db: Queryable, workerId: string, isJournaled: boolean): Promise<void> {
  await db.query({
    name: 'worker-journal',
    text: `UPDATE worker_instances SET is_journaled = $2 WHERE id = $1`,
    values: [workerId, isJournaled],
  });
}

/** A claimed email without a recorded result. */
export interface OpenClaim {
  id: string;
  claimId: string;
  /** Including this one. */
  attempts: number;
}

/** Whether the email `e` belongs to the claim `c` of its worker, and to no later one. */
export const IS_OF_CLAIM = `e.status = 'SENDING' AND e.claimed_by = c.worker_id AND coalesce(e.claimed_at <= c.claimed_at, true)`;

/** Returns the emails that a worker with a complete journal claimed over `ageMs` ago, if it has no later heartbeat. */
export async function selectClaimed(db: Queryable, workerId: string, ageMs: number): Promise<OpenClaim[]> {
  const { rows } = await db.query<OpenClaim>(
    `SELECT e.id, c.id AS "claimId", e.attempts
       FROM worker_instances w JOIN email_claims c ON c.worker_id = w.id CROSS JOIN unnest(c.email_ids) AS claimed(id)
       JOIN emails e ON e.id = claimed.id
      WHERE w.id = $1 AND w.is_journaled AND ${IS_OF_CLAIM}
        AND greatest(w.heartbeat_at, c.claimed_at) <= now() - $2 * interval '1 millisecond'`,
    [workerId, ageMs],
  );
  return rows;
}

export async function endHeartbeat(db: Queryable, workerId: string): Promise<void> {
  await db.query(`DELETE FROM worker_instances WHERE id = $1`, [workerId]);
}

/** The error of an email whose outcome is unknown because of a crash. */
export const AMBIGUOUS_ERROR =
  'The worker crashed while it handed over this email. It is unknown whether the mail server accepted it ' +
  '(AMBIGUOUS_SEND=skip).';

/** Whether the campaign of the email `e` was canceled. Only emails that an earlier version claimed have one. */
const CAMPAIGN_ENDED = `EXISTS (SELECT FROM campaigns c WHERE c.id = e.campaign_id AND c.status = 'CANCELLED')`;

const SETTLE_AMBIGUOUS = `
WITH dead AS MATERIALIZED (
  -- After a suspension, a worker claims before its next heartbeat, so recent claims count as alive.
  SELECT c.id, c.worker_id, c.email_ids, c.claimed_at FROM email_claims c LEFT JOIN worker_instances w ON w.id = c.worker_id
   WHERE c.worker_id <> $1 AND (w.id IS NULL OR w.heartbeat_at < now() - make_interval(secs => $2))
     AND c.claimed_at < now() - make_interval(secs => $2)
), lost AS MATERIALIZED (
  -- Emails are locked before their claims, as everywhere. The planner has no statistics of claims: LIMIT makes it look each up.
  SELECT claimed.id, c.worker_id FROM dead c CROSS JOIN unnest(c.email_ids) AS claimed(id) CROSS JOIN LATERAL (
    SELECT FROM emails e WHERE e.id = claimed.id AND ${IS_OF_CLAIM} LIMIT 1 FOR NO KEY UPDATE) e
), settled AS (
  UPDATE emails e
     SET status = CASE WHEN ${IS_PROVEN_SENT} THEN ${BY_TIMES} WHEN e.source = 'PLATFORM' THEN 'PENDING' WHEN $3::email_status = 'PENDING' AND ${CAMPAIGN_ENDED} THEN 'CANCELLED' ELSE $3::email_status END,
         ambiguous = true, sent_at = CASE WHEN ${IS_PROVEN_SENT} THEN now() END, error = CASE WHEN $3 = 'FAILED' AND e.source <> 'PLATFORM' AND NOT (${IS_PROVEN_SENT}) THEN $4 END, next_attempt_at = now()
    FROM lost l WHERE e.id = l.id AND e.status = 'SENDING' AND e.claimed_by = l.worker_id
  RETURNING e.id, e.project_id, e.contact_id, e.source, e.campaign_id, e.template_id, e.sent_at IS NOT NULL AS proven,
            e.attempts, e.error, e.workflow_id, e.type, e.to_email, e.sent_at, e.tags
), attempted AS (${storeAttempts(`
    SELECT s.project_id, s.id, s.attempts, 'UNKNOWN', NULL, s.error FROM settled s WHERE NOT s.proven AND s.source <> 'PLATFORM'`)}
), happened AS (
  SELECT uuid_v7(), s.project_id, s.contact_id, s.id AS email_id,
         CASE WHEN s.proven THEN 'email.sent' ELSE 'email.failed' END AS name,
         jsonb_strip_nulls(jsonb_build_object('campaignId', s.campaign_id, 'templateId', s.template_id,
                                              'tags', to_jsonb(s.tags), 'error', CASE WHEN NOT s.proven THEN s.error END,
                                              'ambiguous', CASE WHEN NOT s.proven THEN true END)) AS data,
         now() AS created_at, NULL::text AS trace
    FROM settled s WHERE (s.proven OR $3 = 'FAILED') AND s.source NOT IN ('TEST', 'PLATFORM')
), intent AS (
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_events(ARRAY(SELECT h::new_event FROM happened h)) i
), counted AS (
  INSERT INTO stat_deltas (project_id, campaign_id, day, sent)
  SELECT s.project_id, s.campaign_id, (now() AT TIME ZONE 'UTC')::date, count(*) FROM settled s WHERE s.proven AND s.source NOT IN ('TEST', 'PLATFORM') GROUP BY s.project_id, s.campaign_id
), counted_by_minute AS (${countSent(`SELECT * FROM settled WHERE proven AND source NOT IN ('TEST', 'PLATFORM')`)}
), unclaimed AS (
  -- Also those whose emails were deleted.
  DELETE FROM email_claims c USING dead d WHERE c.id = d.id
), gone AS (
  -- Also removes workers that died without emails in flight.
  DELETE FROM worker_instances w
   WHERE w.id IN (SELECT worker_id FROM dead) OR (w.id <> $1 AND w.heartbeat_at < now() - interval '1 hour')
)
SELECT count(*)::int AS count FROM settled`;

/**
 * Settles the emails in flight of dead workers by the documented policy. Emails of the platform are always sent again: a
 * second password link is harmless, but without one the user is locked out.
 *
 * @returns the number of settled emails
 */
export async function settleAmbiguous(
  db: Queryable,
  { workerId, silentSeconds, policy }: { workerId: string; silentSeconds: number; policy: 'skip' | 'resend' },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'delivery-settle-ambiguous',
    text: SETTLE_AMBIGUOUS,
    values: [workerId, silentSeconds, policy === 'skip' ? 'FAILED' : 'PENDING', AMBIGUOUS_ERROR],
  });
  return rows[0]?.count ?? 0;
}

/**
 * Releases rows that a worker claimed without receiving the result, because the connection was lost after the commit.
 * They were never handed over.
 *
 * @param known the claims that the worker knows
 * @param until the latest time of a released claim. The statement can arrive much later than it was sent, when there are new claims.
 * @returns the number of released emails
 */
export async function releaseUnknownClaims(
  db: Queryable,
  workerId: string,
  known: readonly string[],
  until: Date,
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delivery-release-unknown',
    text: `WITH unknown AS MATERIALIZED (
             SELECT * FROM email_claims WHERE worker_id = $1 AND claimed_at <= $3 AND id <> ALL ($2::uuid[])
           ), released AS (
             UPDATE emails e SET status = 'PENDING', attempts = attempts - 1
               FROM unknown c CROSS JOIN unnest(c.email_ids) AS claimed(id) WHERE e.id = claimed.id AND ${IS_OF_CLAIM}
             RETURNING e.id
           ), unclaimed AS (
             DELETE FROM email_claims c USING unknown u WHERE c.id = u.id
           )
           SELECT id FROM released`,
    values: [workerId, known, until],
  });
  return rowCount ?? 0;
}
