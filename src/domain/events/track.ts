/** `POST /v1/track` and `POST /events/track`: something happened to a contact. */
import type { Context } from '../../context.js';
import { transaction, type Pool } from '../../db/pool.js';
import { createSharedStatement } from '../../db/shared-statement.js';
import { isDataTooLarge } from '../contacts/sql/contacts.js';
import { trackEvents, trackTracedEvents, type TrackedEvent, type TrackEvent } from './sql/track.js';
import { newId } from '../../ids.js';
import { sampledTrace } from '../../trace.js';
import { dataTooLarge, readContactData, type DataInput } from '../contacts/data.js';
import { retryingDeadlocks } from '../give-way.js';
import { keyReused, withKey } from '../idempotency/idempotency.js';

export interface TrackInput {
  /** Trimmed and in lower case. */
  email: string;
  /** Trimmed, 1 to 255 characters, and not reserved. */
  event: string;
  subscribed?: boolean;
  data?: DataInput;
}

export interface TrackResult {
  /** The contact's id. */
  contact: string;
  /** The event's id. */
  event: string;
  timestamp: string;
}

export interface TrackRequest {
  /** Kept with the idempotency key. */
  name: 'POST /v1/track' | 'POST /events/track';
  idempotencyKey: string | null;
}

export type Track = (event: TrackEvent) => Promise<TrackedEvent | null>;

/** Requests of one statement at most. */
const TOGETHER = 64;
const PARALLEL = 3;

/** Tracks events, those that come at the same time in one statement. */
export const createTrack = (pool: Pool): Track =>
  createSharedStatement({
    max: TOGETHER,
    parallel: PARALLEL,
    claimsOf: ({ projectId, contact, set, unset, subscribed, idempotency }: TrackEvent) => {
      const isChange = Object.keys(set).length > 0 || unset.length > 0 || subscribed !== undefined;
      return [
        {
          name: `${projectId}/contact/${contact.email}`,
          change: isChange ? JSON.stringify([set, unset, subscribed]) : '',
        },
        ...(idempotency ? [{ name: `${projectId}/key/${idempotency.key}` }] : []),
      ];
    },
    run: (events) =>
      retryingDeadlocks(() =>
        events.some(({ trace }) => trace)
          ? transaction(pool, (tx) => trackTracedEvents(tx, events))
          : trackEvents(pool, events),
      ),
  });

/**
 * Records an event, and creates or updates its contact by the rules of `data`: what is stored goes to the contact, and
 * all values of the request, one-time ones too, go into the event's record. Contact, event, a flip's own event and the
 * idempotency key are committed together.
 *
 * @throws VALIDATION_ERROR (422, field `data`, past 100 keys or 64 KiB), IDEMPOTENCY_KEY_REUSED (409)
 */
export function trackEvent(
  ctx: Context,
  track: Track,
  projectId: string,
  input: TrackInput,
  request: TrackRequest,
): Promise<TrackResult> {
  return withKey(ctx.pool, projectId, request.idempotencyKey, () => run(ctx, track, projectId, input, request));
}

async function run(
  { pool, config }: Context,
  track: Track,
  projectId: string,
  { email, event, subscribed, data }: TrackInput,
  { name, idempotencyKey: key }: TrackRequest,
): Promise<TrackResult> {
  const { set, unset, variables } = readContactData(data);
  const id = newId();
  const tracked = await track({
    projectId,
    contact: { id: newId(), email },
    set,
    unset,
    subscribed,
    event: { id, name: event, data: variables },
    idempotency:
      key === null ? null : { key, request: name, response: { event: id }, ttlHours: config.IDEMPOTENCY_TTL_HOURS },
    trace: sampledTrace(),
  }).catch((error: unknown) => {
    throw isDataTooLarge(error) ? dataTooLarge() : error;
  });
  if (!tracked) throw await keyReused(pool, projectId, key ?? '');
  return { contact: tracked.contactId, event: id, timestamp: tracked.createdAt.toISOString() };
}
