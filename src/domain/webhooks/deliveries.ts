/** The deliveries of an endpoint: the log, one delivery, retry, and test. */
import type { Context } from '../../context.js';
import { enqueue } from '../../db/outbox.js';
import { transaction } from '../../db/pool.js';
import { conflict, notFound, validationError } from '../../errors.js';
import { isId, lowestId, newId } from '../../ids.js';
import { invalidCursor } from '../pagination.js';
import { toBody } from './body.js';
import { secretsOf } from './deliver.js';
import { endpointPoke, type EndpointRef } from './intents.js';
import { getEndpoint, ownNames } from './manage.js';
import { deliveryHeaders } from './post.js';
import {
  findDelivery,
  insertTest,
  requeueDelivery,
  selectDeliveries,
  type DeliveryRow,
  type DeliveryStatus,
} from './sql/deliveries.js';
import { findDeliveringEndpoint, type LoggedAttempt } from './sql/queue.js';
import { checkType, exampleData } from './types.js';

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'DISCARDED'] as const satisfies DeliveryStatus[];

export interface Delivery {
  id: string;
  type: string;
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt: Date | null;
  updatedAt: Date;
  lastStatusCode: number | null;
  lastError: string | null;
}

const toDelivery = ({ last, id, type, status, attempts, nextAttemptAt, updatedAt }: DeliveryRow): Delivery => ({
  id,
  type,
  status,
  attempts,
  nextAttemptAt,
  updatedAt,
  lastStatusCode: last?.statusCode ?? null,
  lastError: last?.error ?? null,
});

export interface DeliveryQuery {
  status?: DeliveryStatus | undefined;
  type?: string | undefined;
  since?: Date | undefined;
  cursor?: string | undefined;
  limit: number;
}

/**
 * Returns a page of deliveries, the newest events first.
 *
 * @throws WEBHOOK_NOT_FOUND (404), VALIDATION_ERROR (422, field `cursor`)
 */
export async function listDeliveries(
  ctx: Context,
  projectId: string,
  endpointId: string,
  { status, type, since, cursor, limit }: DeliveryQuery,
): Promise<{ data: Delivery[]; cursor: string | null; hasMore: boolean }> {
  await getEndpoint(ctx, projectId, endpointId);
  if (cursor !== undefined && !isId(cursor)) throw invalidCursor();
  const filter = { status, type, from: since && lowestId(since) };
  const rows = await selectDeliveries(ctx.pool, endpointId, filter, cursor, limit + 1);
  const data = rows.slice(0, limit).map(toDelivery);
  const hasMore = rows.length > limit;
  return { data, cursor: hasMore ? (data.at(-1)?.id ?? null) : null, hasMore };
}

export interface DeliveryDetails extends Delivery {
  /** As the next attempt would send it; null if the event no longer exists. The signatures are of now. */
  request: { headers: Record<string, string>; body: string } | null;
  log: LoggedAttempt[];
}

/** @throws WEBHOOK_NOT_FOUND (404), DELIVERY_NOT_FOUND (404) */
export async function getDelivery(
  ctx: Context,
  projectId: string,
  endpointId: string,
  id: string,
): Promise<DeliveryDetails> {
  await getEndpoint(ctx, projectId, endpointId);
  const [row, endpoint] = await Promise.all([
    isId(id) ? findDelivery(ctx.pool, endpointId, id) : null,
    findDeliveringEndpoint(ctx.pool, endpointId),
  ]);
  if (!row || !endpoint) throw notFound('DELIVERY');
  const body = toBody({ ...row, projectId });
  const now = new Date();
  const headers = (of: string) => deliveryHeaders({ id, body: of, secrets: secretsOf(ctx, endpoint, now) }, now);
  return { ...toDelivery(row), request: body === null ? null : { headers: headers(body), body }, log: row.log };
}

/**
 * Delivers once more. The status does not matter.
 *
 * @throws WEBHOOK_NOT_FOUND (404), DELIVERY_NOT_FOUND (404)
 */
export async function retryDelivery(
  ctx: Context,
  projectId: string,
  endpointId: string,
  id: string,
): Promise<Delivery> {
  await getEndpoint(ctx, projectId, endpointId);
  await inQueue(ctx, { endpointId, projectId }, async (tx) => {
    if (!isId(id) || !(await requeueDelivery(tx, endpointId, id))) throw notFound('DELIVERY');
  });
  const row = await findDelivery(ctx.pool, endpointId, id);
  if (!row) throw notFound('DELIVERY');
  return toDelivery(row);
}

/**
 * Sends an example of a type to this endpoint only, which need not want the type.
 *
 * @returns the id of the delivery
 * @throws WEBHOOK_NOT_FOUND (404), VALIDATION_ERROR (422, an unknown type), CONFLICT (409, the endpoint is disabled)
 */
export async function sendTest(ctx: Context, projectId: string, endpointId: string, type: string): Promise<string> {
  const { enabled } = await getEndpoint(ctx, projectId, endpointId);
  const errors = checkType(type, await ownNames(ctx, projectId), 'type');
  if (errors.length > 0) throw validationError(errors);
  if (!enabled) throw conflict('The endpoint is disabled. Enable it first.');
  const id = newId();
  await inQueue(ctx, { endpointId, projectId }, (tx) =>
    insertTest(tx, { id, endpointId, projectId, type, data: exampleData(type) }),
  );
  return id;
}

type Work = Parameters<typeof transaction<void>>[1];

/** Changes the queue of an endpoint, and wakes its Temporal workflow. */
async function inQueue(ctx: Context, endpoint: EndpointRef, work: Work): Promise<void> {
  await transaction(ctx.pool, async (tx) => {
    await work(tx);
    await enqueue(tx, [endpointPoke(endpoint)]);
  });
  ctx.wake('outbox');
}
