/** Webhook endpoints: list, add, change, delete, new secret (research, ahead.md, section 3.1). */
import type { Context } from '../../context.js';
import { enqueue } from '../../db/outbox.js';
import { transaction } from '../../db/pool.js';
import { conflict, notFound, validationError, type FieldError } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { encryptSecret } from '../../mail/secrets.js';
import { eventNames } from '../events/get.js';
import { newWebhookSecret } from '../executions/webhook/sign.js';
import { withLockTimeout } from '../lock-timeout.js';
import { endpointCancel, endpointPoke, endpointStart } from './intents.js';
import {
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  replaceSecret,
  selectEndpoints,
  updateEndpoint,
  type EndpointChange,
  type EndpointRow,
} from './sql/endpoints.js';
import { checkTypes } from './types.js';
import { checkUrl } from './url.js';

/** Endpoints of a project. */
export const MAX_ENDPOINTS = 20;
const HOUR_MS = 3_600_000;

export type Endpoint = EndpointRow;

/** All endpoints of a project, the newest first. */
export const listEndpoints = ({ pool }: Context, projectId: string): Promise<Endpoint[]> =>
  selectEndpoints(pool, projectId);

/** @throws WEBHOOK_NOT_FOUND (404) */
export async function getEndpoint({ pool }: Context, projectId: string, id: string): Promise<Endpoint> {
  const endpoint = isId(id) ? await findEndpoint(pool, projectId, id) : null;
  if (!endpoint) throw notFound('WEBHOOK');
  return endpoint;
}

export interface EndpointContent {
  url: string;
  events: string[];
  description: string;
  enabled: boolean;
}

/**
 * Adds an endpoint, and starts its Temporal workflow.
 *
 * @returns the endpoint with its secret, which is not shown again
 * @throws VALIDATION_ERROR (422, an unusable URL or an unknown type), CONFLICT (409, the project has 20 endpoints)
 */
export async function addEndpoint(
  ctx: Context,
  projectId: string,
  content: EndpointContent,
): Promise<Endpoint & { secret: string }> {
  await check(ctx, projectId, content);
  const id = newId();
  const secret = newWebhookSecret();
  await transaction(ctx.pool, async (tx) => {
    const row = { id, projectId, ...content, secret: encryptSecret(ctx.config.SECRET_KEY, secret) };
    if (!(await insertEndpoint(tx, row, MAX_ENDPOINTS)))
      throw conflict(`A project can have ${MAX_ENDPOINTS} webhook endpoints. Delete one first.`);
    await enqueue(tx, [endpointStart({ endpointId: id, projectId })]);
  });
  ctx.wake('outbox');
  return { ...(await getEndpoint(ctx, projectId, id)), secret };
}

/**
 * Changes the given fields. What waits is delivered to the new URL. Enabling an endpoint delivers what waits.
 *
 * @throws WEBHOOK_NOT_FOUND (404), VALIDATION_ERROR (422, an unusable URL or an unknown type)
 */
export async function changeEndpoint(
  ctx: Context,
  projectId: string,
  id: string,
  change: EndpointChange,
): Promise<Endpoint> {
  await getEndpoint(ctx, projectId, id);
  await check(ctx, projectId, change);
  await withLockTimeout(ctx.pool, async (tx) => {
    if (!(await updateEndpoint(tx, projectId, id, change))) throw notFound('WEBHOOK');
    await enqueue(tx, [endpointPoke({ endpointId: id, projectId })]);
  });
  ctx.wake('outbox');
  return getEndpoint(ctx, projectId, id);
}

/**
 * Deletes an endpoint with what waits for it, and ends its Temporal workflow.
 *
 * @throws WEBHOOK_NOT_FOUND (404)
 */
export async function removeEndpoint(ctx: Context, projectId: string, id: string): Promise<void> {
  if (!isId(id)) throw notFound('WEBHOOK');
  await withLockTimeout(ctx.pool, async (tx) => {
    // Housekeeping deletes the deliveries, of which there can be many.
    if (!(await deleteEndpoint(tx, projectId, id))) throw notFound('WEBHOOK');
    await enqueue(tx, [endpointCancel({ endpointId: id, projectId })]);
  });
  ctx.wake('outbox');
}

/**
 * Creates a new secret. For some hours, deliveries have a signature by each of the two.
 *
 * @throws WEBHOOK_NOT_FOUND (404)
 */
export async function rotateSecret(
  ctx: Context,
  projectId: string,
  id: string,
  graceHours: number,
): Promise<{ secret: string; previousSecretUntil: Date }> {
  if (!isId(id)) throw notFound('WEBHOOK');
  const secret = newWebhookSecret();
  const until = new Date(Date.now() + graceHours * HOUR_MS);
  const sealed = encryptSecret(ctx.config.SECRET_KEY, secret);
  const isReplaced = await withLockTimeout(ctx.pool, (tx) =>
    replaceSecret(tx, projectId, id, { secret: sealed, until }),
  );
  if (!isReplaced) throw notFound('WEBHOOK');
  return { secret, previousSecretUntil: until };
}

/** The names of the events that a project has stored. */
export const ownNames = async (ctx: Context, projectId: string): Promise<ReadonlySet<string>> =>
  new Set(await eventNames(ctx, projectId));

async function check(ctx: Context, projectId: string, { url, events }: EndpointChange): Promise<void> {
  const errors: FieldError[] = url === undefined ? [] : checkUrl(url, ctx.config);
  if (events !== undefined) errors.push(...checkTypes(events, await ownNames(ctx, projectId), 'events'));
  if (errors.length > 0) throw validationError(errors);
}
