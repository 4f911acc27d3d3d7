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
             INSERT INTO webhook_notices (id, project_id, type, data, endpoint_id) VALUES ($1, $3, $4, $5, $2)
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
