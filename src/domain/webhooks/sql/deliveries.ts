/** The log of deliveries: pages, one of them, and the return to the queue. */
import type { Queryable } from '../../../db/pool.js';
import { OCCURRENCE, OCCURRENCE_JOINS, type LoggedAttempt, type Occurrence } from './queue.js';

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'DISCARDED';

export interface DeliveryRow {
  /** Of the event. */
  id: string;
  type: string;
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt: Date | null;
  updatedAt: Date;
  last: LoggedAttempt | null;
}

const COLUMNS = `d.event_id AS id, d.type, d.status, d.attempts, d.next_attempt_at AS "nextAttemptAt",
  d.updated_at AS "updatedAt", d.log -> -1 AS last`;

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  type?: string | undefined;
  /** The lowest id. */
  from?: string | undefined;
}

/** Returns deliveries before an id, the newest events first. */
export async function selectDeliveries(
  db: Queryable,
  endpointId: string,
  { status, type, from }: DeliveryFilter,
  before: string | undefined,
  limit: number,
): Promise<DeliveryRow[]> {
  const values: unknown[] = [endpointId, limit];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    'd.endpoint_id = $1',
    ...(before === undefined ? [] : [`d.event_id < ${put(before)}`]),
    ...(from === undefined ? [] : [`d.event_id >= ${put(from)}`]),
    // Constants, so that the partial index of failed deliveries fits.
    ...(status === undefined ? [] : [`d.status = '${status}'`]),
    ...(type === undefined ? [] : [`d.type = ${put(type)}`]),
  ];
  const { rows } = await db.query<DeliveryRow>(
    `SELECT ${COLUMNS} FROM webhook_deliveries d WHERE ${conditions.join(' AND ')} ORDER BY d.event_id DESC LIMIT $2`,
    values,
  );
  return rows;
}

export type DeliveryDetail = DeliveryRow &
  Pick<Occurrence, Exclude<keyof Occurrence, 'id' | 'type'>> & { log: LoggedAttempt[] };

export async function findDelivery(db: Queryable, endpointId: string, id: string): Promise<DeliveryDetail | null> {
  const { rows } = await db.query<DeliveryDetail>({
    name: 'webhook-delivery',
    text: `SELECT ${COLUMNS}, d.log, ${OCCURRENCE}
             FROM (SELECT * FROM webhook_deliveries WHERE endpoint_id = $1 AND event_id = $2) d ${OCCURRENCE_JOINS}`,
    values: [endpointId, id],
  });
  return rows[0] ?? null;
}

/** Puts a delivery into the queue again, from its first wait on. @returns whether it exists */
export async function requeueDelivery(tx: Queryable, endpointId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'webhook-delivery-requeue',
    text: `UPDATE webhook_deliveries SET status = 'PENDING', attempts = 0, next_attempt_at = now(), updated_at = now()
            WHERE endpoint_id = $1 AND event_id = $2`,
    values: [endpointId, id],
  });
  return rowCount === 1;
}

/** Stores a notice and its delivery to one endpoint only: a test. */
export async function insertTest(
  tx: Queryable,
  { id, endpointId, projectId, type, data }: TestDelivery,
): Promise<void> {
  await tx.query({
    name: 'webhook-delivery-test',
    text: `WITH notice AS (
             INSERT INTO webhook_notices (id, project_id, type, data) VALUES ($1, $3, $4, $5)
           )
           INSERT INTO webhook_deliveries (endpoint_id, event_id, project_id, type) VALUES ($2, $1, $3, $4)`,
    values: [id, endpointId, projectId, type, JSON.stringify(data)],
  });
}

export interface TestDelivery {
  id: string;
  endpointId: string;
  projectId: string;
  type: string;
  data: Record<string, unknown>;
}

export interface ReplayRange {
  endpointId: string;
  projectId: string;
  since: Date;
  until: Date;
  /** null: all types of the endpoint. */
  types: string[] | null;
}

/** Events and notices of the range that the endpoint wants: $1 endpoint, $2 project, $3 since, $4 until, $5 types. */
const IN_RANGE = `
  SELECT x.id, x.type FROM (
    SELECT e.id, e.name AS type, false AS is_notice FROM events e
     WHERE e.project_id = $2 AND e.created_at >= $3 AND e.created_at < $4
    UNION ALL
    SELECT n.id, n.type, true FROM webhook_notices n
     WHERE n.project_id = $2 AND n.created_at >= $3 AND n.created_at < $4) x
   WHERE ($5::text[] IS NULL OR x.type = ANY ($5))
     AND webhook_patterns(x.type, x.is_notice) && (SELECT events FROM webhook_endpoints WHERE id = $1)`;

/** Failed deliveries of the range. Their ids have the times of their events. */
const FAILED_IN_RANGE = `
  SELECT d.event_id AS id, d.type FROM webhook_deliveries d
   WHERE d.endpoint_id = $1 AND d.project_id = $2 AND d.status = 'FAILED'
     AND uuid_extract_timestamp(d.event_id) >= $3 AND uuid_extract_timestamp(d.event_id) < $4
     AND ($5::text[] IS NULL OR d.type = ANY ($5))`;

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
  status: 'FAILED' | 'ALL',
  limit: number,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${status === 'ALL' ? IN_RANGE : FAILED_IN_RANGE} LIMIT ${limit + 1}) x`,
    rangeValues(range),
  );
  return rows[0]?.count ?? 0;
}

/** Puts the deliveries of a range into the queue, from their first wait on. @returns their number */
export async function replay(tx: Queryable, range: ReplayRange, status: 'FAILED' | 'ALL'): Promise<number> {
  const { rowCount } = await tx.query(
    `INSERT INTO webhook_deliveries AS d (endpoint_id, event_id, project_id, type)
     SELECT $1, x.id, $2, x.type FROM (${status === 'ALL' ? IN_RANGE : FAILED_IN_RANGE}) x ORDER BY x.id
     ON CONFLICT (endpoint_id, event_id) DO UPDATE
        SET status = 'PENDING', attempts = 0, next_attempt_at = now(), updated_at = now()`,
    rangeValues(range),
  );
  return rowCount ?? 0;
}

/** Takes the replay of an endpoint until the end of the transaction. @returns false if another one has it */
export async function lockReplay(tx: Queryable, endpointId: string): Promise<boolean> {
  const { rows } = await tx.query<{ held: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('webhook-replay ' || $1, 0)) AS held`,
    [endpointId],
  );
  return rows[0]?.held ?? false;
}
