/** Deliveries that are put into the queue again, for a time range. */
import type { Queryable } from '../../../db/pool.js';

export interface ReplayRange {
  endpointId: string;
  projectId: string;
  since: Date;
  until: Date;
  /** null: all types of the endpoint. */
  types: string[] | null;
}

/** FAILED: failed deliveries. ALL: all events that the endpoint wants. */
export const REPLAYED_STATUSES = ['FAILED', 'ALL'] as const;
export type ReplayedStatus = (typeof REPLAYED_STATUSES)[number];

/**
 * Events and notices of the range that the endpoint wants: $1 endpoint, $2 project, $3 since, $4 until, $5 types and patterns.
 * Not tests, and not what the others were told about this endpoint.
 */
const IN_RANGE = `
  SELECT x.id, x.type FROM (
    SELECT e.id, e.name AS type, false AS is_notice FROM events e
     WHERE e.project_id = $2 AND e.created_at >= $3 AND e.created_at < $4
    UNION ALL
    SELECT n.id, n.type, true FROM webhook_notices n
     WHERE n.project_id = $2 AND n.created_at >= $3 AND n.created_at < $4
       AND n.endpoint_id IS NULL AND n.data ->> 'webhookId' IS DISTINCT FROM ($1::uuid)::text) x
   WHERE ($5::text[] IS NULL OR webhook_patterns(x.type, x.is_notice) && $5)
     AND webhook_patterns(x.type, x.is_notice) && (SELECT events FROM webhook_endpoints WHERE id = $1)`;

/** Failed deliveries of the range whose event still exists. Their ids have the times of their events. */
const FAILED_IN_RANGE = `
  SELECT d.event_id AS id, d.type FROM webhook_deliveries d
   WHERE d.endpoint_id = $1 AND d.project_id = $2 AND d.status = 'FAILED'
     AND uuid_extract_timestamp(d.event_id) >= $3 AND uuid_extract_timestamp(d.event_id) < $4
     AND ($5::text[] IS NULL OR webhook_patterns(d.type, is_notice_type(d.type)) && $5)
     AND (EXISTS (SELECT FROM events e WHERE e.id = d.event_id AND e.project_id = $2)
          OR EXISTS (SELECT FROM webhook_notices n WHERE n.id = d.event_id))`;

const rangeValues = ({ endpointId, projectId, since, until, types }: ReplayRange): unknown[] => [
  endpointId,
  projectId,
  since,
  until,
  types,
];

/** Counts what a replay would put into the queue, up to `limit` + 1. */
export async function countReplay(
  db: Queryable,
  range: ReplayRange,
  status: ReplayedStatus,
  limit: number,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${status === 'ALL' ? IN_RANGE : FAILED_IN_RANGE} LIMIT ${limit + 1}) x`,
    rangeValues(range),
  );
  return rows[0]?.count ?? 0;
}

/** Puts the deliveries of a range into the queue, from their first wait on. @returns their number */
export async function replay(tx: Queryable, range: ReplayRange, status: ReplayedStatus): Promise<number> {
  const { rowCount } = await tx.query(
    `INSERT INTO webhook_deliveries AS d (endpoint_id, event_id, project_id, type)
     SELECT $1, x.id, $2, x.type FROM (${status === 'ALL' ? IN_RANGE : FAILED_IN_RANGE}) x ORDER BY x.id
     ON CONFLICT (endpoint_id, event_id) DO UPDATE
        SET status = 'PENDING', attempts = 0, next_attempt_at = now(), updated_at = now()`,
    rangeValues(range),
  );
  return rowCount ?? 0;
}

/**
 * Locks out other requests for a replay of the endpoint until the end of the transaction.
 *
 * @returns whether a replay has not ended
 */
export async function hasOpenReplay(tx: Queryable, endpointId: string, projectId: string): Promise<boolean> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhook-replay ' || $1, 0))`, [endpointId]);
  const { rowCount } = await tx.query(
    `SELECT FROM jobs
      WHERE project_id = $2 AND kind = 'REPLAY' AND state IN ('waiting', 'active') AND params ->> 'endpointId' = $1`,
    [endpointId, projectId],
  );
  return (rowCount ?? 0) > 0;
}
