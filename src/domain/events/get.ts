/** Reading events: pages of the lists, figures, names. */
import type { Context } from '../../context.js';
import { countEventsByName, type EventCount, type TimeRange } from './sql/days.js';
import { countEvents, selectEventNames, selectEvents, type EventFilter, type EventRow } from './sql/list.js';
import { findContact } from '../contacts/sql/rows.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { decodeCursor, encodeCursor, invalidCursor, isTimestamp, type CursorPage } from '../pagination.js';

/** An event as the API shows it. */
export type Event = EventRow;

/** Of `GET /events/names`: what a client with a public key can make up must not grow an answer without end. */
const MAX_NAMES = 10_000;

export interface ListEvents {
  limit: number;
  cursor?: string;
  /** Trimmed; empty counts as none. */
  eventName?: string;
}

/**
 * One page of the events, newest first. `total` is counted on the first page only and 0 later (specification, Limits).
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) for a cursor that this list didn't give out
 */
export const listEvents = (
  ctx: Context,
  projectId: string,
  { eventName, ...page }: ListEvents,
): Promise<CursorPage<Event>> => list(ctx, { projectId, name: eventName === '' ? undefined : eventName }, page);

/** @throws CONTACT_NOT_FOUND (404), VALIDATION_ERROR (422, field `cursor`) */
export async function listContactEvents(
  ctx: Context,
  projectId: string,
  contactId: string,
  page: Omit<ListEvents, 'eventName'>,
): Promise<CursorPage<Event>> {
  if (!isId(contactId) || !(await findContact(ctx.pool, projectId, contactId))) throw notFound('CONTACT');
  return list(ctx, { projectId, contactId }, page);
}

async function list(
  { pool }: Context,
  filter: EventFilter,
  { limit, cursor }: Omit<ListEvents, 'eventName'>,
): Promise<CursorPage<Event>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  // One more than the page shows whether there is another one.
  const [rows, total] = await Promise.all([
    selectEvents(pool, { ...filter, after, limit: limit + 1 }),
    after ? 0 : countEvents(pool, filter),
  ]);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return {
    data,
    cursor: hasMore && last ? encodeCursor({ value: last.createdAt.toISOString(), id: last.id }) : null,
    hasMore,
    total,
  };
}

function readCursor(cursor: string): { createdAt: string; id: string } {
  const { value, id } = decodeCursor(cursor);
  if (!isTimestamp(value)) throw invalidCursor();
  return { createdAt: value, id };
}

/** How often each event happened, the most frequent first, up to 10,000 names; `until` itself is not in the range. */
export const eventStats = ({ pool }: Context, projectId: string, range: TimeRange): Promise<EventCount[]> =>
  countEventsByName(pool, projectId, range, MAX_NAMES);

/** Every name that an event of the project has, the service's own too, in their order: up to 10,000. */
export const eventNames = ({ pool }: Context, projectId: string): Promise<string[]> =>
  selectEventNames(pool, projectId, MAX_NAMES);
