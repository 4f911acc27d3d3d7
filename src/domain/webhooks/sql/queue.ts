/**
 * The queue of an endpoint: due deliveries, their results, and the change to idle.
 *
 * Statements about deliveries have no name, so that each call is planned for the table's current size. A plan from a time
 * when the table was empty reads all of it: 20 ms for eight results among 100,000 deliveries.
 */
import { transaction, type Pool, type Queryable } from '../../../db/pool.js';
import { sqlState } from '../../../db/errors.js';
import type { Health } from '../health.js';

export interface DeliveringEndpoint extends Omit<Health, 'disabledReason'> {
  id: string;
  projectId: string;
  url: string;
  enabled: boolean;
  /** Encrypted. */
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: Date | null;
  /** When it was last enabled or got another URL. */
  renewedAt: Date | null;
}

export async function findDeliveringEndpoint(db: Queryable, endpointId: string): Promise<DeliveringEndpoint | null> {
  const { rows } = await db.query<DeliveringEndpoint>({
    name: 'webhook-endpoint-delivering',
    text: `SELECT id, project_id AS "projectId", url, enabled, secret, previous_secret AS "previousSecret",
                  previous_secret_until AS "previousSecretUntil", failures, failing_since AS "failingSince",
                  paused_until AS "pausedUntil", renewed_at AS "renewedAt"
             FROM webhook_endpoints WHERE id = $1`,
    values: [endpointId],
  });
  return rows[0] ?? null;
}

/** What a delivery tells, from the row of its event or notice. */
export interface Occurrence {
  /** Of the event or the notice, and the header `webhook-id`. */
  id: string;
  type: string;
  projectId: string;
  /** null if the row no longer exists. */
  at: Date | null;
  contactId: string | null;
  email: string | null;
  emailId: string | null;
  /** Of an event. */
  data: Record<string, unknown> | null;
  /** Of a notice. */
  notice: Record<string, unknown> | null;
}

export interface DueDelivery extends Occurrence {
  attempts: number;
  /** Identifies its place in the queue, which a retry or a replay changes. */
  dueAt: Date;
}

/** The columns of an Occurrence, and the joins that they need, of deliveries `d`. */
export const OCCURRENCE = `d.event_id AS id, d.type, d.project_id AS "projectId", coalesce(e.created_at, n.created_at) AS at,
  e.contact_id AS "contactId", c.email, e.email_id AS "emailId", e.data, n.data AS notice`;
// Scalar lookups by primary keys: a plan from a time when the tables were empty would join them whole.
export const OCCURRENCE_JOINS = `
  LEFT JOIN LATERAL (SELECT * FROM events WHERE id = d.event_id AND project_id = d.project_id LIMIT 1) e ON true
  LEFT JOIN LATERAL (SELECT * FROM webhook_notices WHERE id = d.event_id AND project_id = d.project_id LIMIT 1) n ON true
  LEFT JOIN LATERAL (SELECT email FROM contacts WHERE id = e.contact_id LIMIT 1) c ON true`;

/** Returns deliveries that are due at a time, those that have waited longest first. */
export async function selectDue(db: Queryable, endpointId: string, now: Date, limit: number): Promise<DueDelivery[]> {
  const { rows } = await db.query<DueDelivery>({
    text: `SELECT ${OCCURRENCE}, d.attempts, d.next_attempt_at AS "dueAt"
             FROM (SELECT * FROM webhook_deliveries
                    WHERE endpoint_id = $1 AND status = 'PENDING' AND next_attempt_at <= $2
                    ORDER BY next_attempt_at, event_id LIMIT $3) d ${OCCURRENCE_JOINS}
            ORDER BY d.next_attempt_at, d.event_id`,
    values: [endpointId, now, limit],
  });
  return rows;
}

/** An entry of a delivery's `log`. */
export interface LoggedAttempt {
  at: string;
  durationMs: number;
  statusCode: number | null;
  /** The beginning of the response's body. */
  response: string | null;
  error: string | null;
}

export interface DeliveryResult {
  eventId: string;
  /** Of the DueDelivery. */
  dueAt: Date;
  status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'DISCARDED';
  /** Set if PENDING. */
  nextAttemptAt: Date | null;
  /** null if nothing was sent. */
  attempt: LoggedAttempt | null;
}

/** A delivery that is repeated again and again has more attempts. */
const MAX_LOGGED = 20;

/**
 * Records results. Deliveries that have ended meanwhile stay as they are, and those that were put into the queue again
 * stay there. What the responses to a discarded delivery said goes with its event.
 *
 * Each row is looked up by the primary key and addressed by its place: without statistics, the planner reads all deliveries
 * of the endpoint for a join.
 */
export async function recordResults(db: Queryable, endpointId: string, results: DeliveryResult[]): Promise<void> {
  await db.query({
    text: `UPDATE webhook_deliveries d
              SET status = CASE WHEN d.next_attempt_at = r.due THEN r.status ELSE d.status END,
                  next_attempt_at = CASE WHEN d.next_attempt_at = r.due THEN r.next ELSE d.next_attempt_at END,
                  attempts = d.attempts + CASE WHEN d.next_attempt_at = r.due AND r.attempt IS NOT NULL THEN 1 ELSE 0 END,
                  updated_at = now(),
                  log = CASE WHEN r.attempt IS NULL
                             THEN (SELECT coalesce(jsonb_agg(a || '{"response": null}'), '[]') FROM jsonb_array_elements(d.log) a)
                             WHEN jsonb_array_length(d.log) >= ${MAX_LOGGED} THEN (d.log - 0) || r.attempt
                             ELSE d.log || r.attempt END
             FROM (SELECT x.*, (SELECT e.ctid FROM webhook_deliveries e
                                 WHERE e.endpoint_id = $1 AND e.event_id = x.id) AS place
                     FROM jsonb_to_recordset($2::jsonb)
                          AS x (id uuid, due timestamptz, status webhook_delivery_status, next timestamptz, attempt jsonb)
                   OFFSET 0) r
            WHERE d.ctid = r.place AND d.status = 'PENDING'`,
    values: [
      endpointId,
      JSON.stringify(
        results.map(({ eventId, dueAt, status, nextAttemptAt, attempt }) => ({
          id: eventId,
          due: dueAt,
          status,
          next: nextAttemptAt,
          // In an array, because `log || attempt` appends a value and joins arrays.
          attempt: attempt === null ? null : [attempt],
        })),
      ),
    ],
  });
}

/**
 * Stores the state of an endpoint after a page of deliveries. A user may have disabled it meanwhile, and it stays so.
 *
 * @returns false if it was enabled or got another URL meanwhile: the state is that of before, and is not stored
 */
export async function storeHealth(
  db: Queryable,
  { id, renewedAt }: Pick<DeliveringEndpoint, 'id' | 'renewedAt'>,
  { failures, failingSince, pausedUntil, disabledReason }: Health,
  lastSuccessAt: Date | null,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhook-endpoint-health',
    text: `UPDATE webhook_endpoints
              SET failures = $2, failing_since = $3, paused_until = $4,
                  enabled = enabled AND $5::text IS NULL, disabled_reason = coalesce($5, disabled_reason),
                  last_success_at = coalesce($6, last_success_at),
                  updated_at = CASE WHEN $5::text IS NULL THEN updated_at ELSE now() END
            WHERE id = $1 AND renewed_at IS NOT DISTINCT FROM $7`,
    values: [id, failures, failingSince, pausedUntil, disabledReason, lastSuccessAt, renewedAt],
  });
  return rowCount === 1;
}

export interface Rest {
  /** When the endpoint's workflow has to look again; null: only after a poke. */
  nextAt: Date | null;
  isPaused: boolean;
}

/**
 * Marks an endpoint without due deliveries as idle, so that the next delivery pokes its workflow.
 *
 * The lock waits for no one: transactions that hold it FOR KEY SHARE have inserted deliveries. A paused endpoint is not
 * marked, because nothing is sent before the end of the pause anyway.
 *
 * @returns null if deliveries are due or are being inserted
 */
export async function becomeIdle(pool: Pool, endpointId: string, now: Date): Promise<Rest | null> {
  try {
    return await transaction(pool, async (tx) => {
      const { rows } = await tx.query<{ enabled: boolean; pausedUntil: Date | null }>({
        name: 'webhook-endpoint-lock',
        text: `SELECT enabled, paused_until AS "pausedUntil" FROM webhook_endpoints WHERE id = $1 FOR UPDATE NOWAIT`,
        values: [endpointId],
      });
      const [endpoint] = rows;
      if (!endpoint?.enabled) return { nextAt: null, isPaused: false };
      if (endpoint.pausedUntil && endpoint.pausedUntil > now) return { nextAt: endpoint.pausedUntil, isPaused: true };
      const next = await tx.query<{ at: Date | null }>({
        text: `SELECT (SELECT next_attempt_at FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'PENDING'
                        ORDER BY next_attempt_at LIMIT 1) AS at`,
        values: [endpointId],
      });
      const nextAt = next.rows[0]?.at ?? null;
      if (nextAt && nextAt <= now) return null;
      await tx.query({
        name: 'webhook-endpoint-idle',
        text: `UPDATE webhook_endpoints SET idle = true WHERE id = $1 AND NOT idle`,
        values: [endpointId],
      });
      return { nextAt, isPaused: false };
    });
  } catch (error) {
    if (sqlState(error) === '55P03') return null;
    throw error;
  }
}

/** Waiting deliveries are counted up to this number. */
export const MAX_COUNTED = 10_000;

/** Returns how many deliveries wait, at most MAX_COUNTED + 1. */
export async function countWaiting(db: Queryable, endpointId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    text: `SELECT count(*)::int AS count
             FROM (SELECT FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'PENDING' LIMIT ${MAX_COUNTED + 1}) w`,
    values: [endpointId],
  });
  return rows[0]?.count ?? 0;
}
