/** `POST /v1/track` and `POST /events/track`: records an event of a contact. */
import type { Context } from '../../context.js';
import type { Pool } from '../../db/pool.js';
import { createSharedStatement } from '../../db/shared-statement.js';
import { newId } from '../../ids.js';
import { sampledTrace } from '../../trace.js';
import { dataTooLarge, readContactData, type DataInput } from '../contacts/data.js';
import { isDataTooLarge } from '../contacts/sql/contacts.js';
import { withKnownTimezone } from '../contacts/timezone.js';
import { retryDeadlocks } from '../lock-timeout.js';
import { idempotencyKeyReused, preferReusedKey } from '../idempotency/idempotency.js';
import { trackEvents, type TrackedEvent, type TrackEvent } from './sql/track.js';

export interface TrackInput {
  /** Trimmed and in lower case. */
  email: string;
  /** Trimmed, 1 to 255 characters, and not reserved. */
  event: string;
  subscribed?: boolean;
  data?: DataInput;
  /** Stored on the contact. An unknown one is ignored. */
  timezone?: string;
}

export interface TrackResult {
  /** The contact's id. */
  contact: string;
  /** The event's id. */
  event: string;
  timestamp: string;
}

export interface TrackRequest {
  /** Stored with the idempotency key. */
  name: 'POST /v1/track' | 'POST /events/track';
  idempotencyKey: string | null;
}

export type TrackOutcome =
  | { kind: 'recorded'; event: TrackedEvent }
  /** The idempotency key was used before, or the contact's data would exceed its limits; nothing was written. */
  | { kind: 'duplicate' | 'data_too_large' };

export type AcceptEvent = (event: TrackEvent) => Promise<TrackOutcome>;

const MAX_REQUESTS_PER_STATEMENT = 64;
const MAX_STATEMENTS_IN_FLIGHT = 3;

/** Commits tracked events. Concurrent requests share one statement and so one flush. */
export function createAcceptEvent(pool: Pool): AcceptEvent {
  const acceptShared = createSharedStatement<TrackEvent, TrackedEvent | null>({
    max: MAX_REQUESTS_PER_STATEMENT,
    parallel: MAX_STATEMENTS_IN_FLIGHT,
    claimsOf: ({ projectId, contact, set, unset, subscribed, isPublic, idempotency }) => {
      const isChange = Object.keys(set).length > 0 || unset.length > 0 || subscribed !== undefined;
      return [
        {
          name: `${projectId}/contact/${contact.email}`,
          change: isChange ? JSON.stringify([set, unset, subscribed, isPublic]) : '',
        },
        ...(idempotency ? [{ name: `${projectId}/key/${idempotency.key}` }] : []),
      ];
    },
    run: (events) => retryDeadlocks(() => trackEvents(pool, events)),
  });

  return async (event) => {
    try {
      const recorded = await acceptShared(event);
      return recorded ? { kind: 'recorded', event: recorded } : { kind: 'duplicate' };
    } catch (error) {
      if (isDataTooLarge(error)) return { kind: 'data_too_large' };
      throw error;
    }
  };
}

/**
 * Records an event, and creates or updates its contact by the rules of `data`: persistent values are stored on the
 * contact, and all values of the request, including one-time values, are stored in the event. Contact, event,
 * subscription event, and idempotency key are committed together.
 *
 * @throws VALIDATION_ERROR (422, field `data`, over 100 keys or 64 KiB), IDEMPOTENCY_KEY_REUSED (409)
 */
export async function trackEvent(
  ctx: Context,
  acceptEvent: AcceptEvent,
  projectId: string,
  input: TrackInput,
  request: TrackRequest,
): Promise<TrackResult> {
  try {
    const checked = checkEvent(ctx, projectId, input, request);
    const outcome = await acceptEvent(checked);
    switch (outcome.kind) {
      case 'recorded':
        return {
          contact: outcome.event.contactId,
          event: checked.event.id,
          timestamp: outcome.event.createdAt.toISOString(),
        };
      case 'duplicate':
        throw await idempotencyKeyReused(ctx.pool, projectId, request.idempotencyKey ?? '');
      case 'data_too_large':
        throw dataTooLarge();
    }
  } catch (error) {
    throw await preferReusedKey(ctx.pool, projectId, request.idempotencyKey, error);
  }
}

function checkEvent(
  { config }: Context,
  projectId: string,
  { email, event, subscribed, data, timezone }: TrackInput,
  { name, idempotencyKey: key }: TrackRequest,
): TrackEvent {
  const { set, unset, variables } = withKnownTimezone(readContactData(data), timezone);
  const id = newId();
  return {
    projectId,
    contact: { id: newId(), email },
    set,
    unset,
    subscribed,
    isPublic: name === 'POST /v1/track',
    event: { id, name: event, data: variables },
    idempotency:
      key === null ? null : { key, request: name, response: { event: id }, ttlHours: config.IDEMPOTENCY_TTL_HOURS },
    trace: sampledTrace(),
  };
}
