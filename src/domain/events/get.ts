/** Reads events: pages of lists, counts, names. */
import type { Context } from '../../context.js';
import { countEventsByName, type EventCount, type TimeRange } from './sql/days.js';
import { countEvents, selectEventNames, selectEvents, type EventFilter, type EventRow } from './sql/list.js';
import { findContact } from '../contacts/sql/rows.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { decodeCursor, encodeCursor, invalidCursor, isTimestamp, type CursorPage } from '../pagination.js';

/** An event in the API. */
export type Event = EventRow;

/** Limits `GET /events/names`: clients with the public key can create any number of names. */
const MAX_NAMES = 10_000;

export interface ListEvents {
  limit: number;
  cursor?: string;
  /** Trimmed; an empty name selects all events. */
  eventName?: string;
}

/**
 * Returns one page of events, newest first. `total` is counted on the first page only, and is 0 on later pages
 * (specification, Limits).
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) if the cursor is not from this list
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
  // One extra event shows whether there is another page.
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

/** Returns the count of each event name, the most frequent first, up to 10,000 names. `until` is not included. */
export const eventStats = ({ pool }: Context, projectId: string, range: TimeRange): Promise<EventCount[]> =>
  countEventsByName(pool, projectId, range, MAX_NAMES);

/** Returns all names of the project's events, including the service's own, in order, up to 10,000. */
export const eventNames = ({ pool }: Context, projectId: string): Promise<string[]> =>
  selectEventNames(pool, projectId, MAX_NAMES);
