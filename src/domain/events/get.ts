/** Reads events: pages of lists, counts, names. */
import type { Context } from '../../context.js';
import { countEventsByDay, countEventsByName, type EventCount, type TimeRange } from './sql/days.js';
import {
  countEvents,
  selectContactEmails,
  selectEventNames,
  selectEvents,
  type EventFilter,
  type EventRow,
} from './sql/list.js';
import { findContact } from '../contacts/sql/rows.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { decodeCursor, encodeCursor, invalidCursor, isTimestamp, type CursorPage } from '../pagination.js';

/** An event in the API. */
export type Event = EventRow & {
  /** With `include: 'contact'`. Null for events without a contact. */
  contactEmail?: string | null;
};

/** Limits `GET /events/names`: clients with the public key can create any number of names. */
const MAX_NAMES = 10_000;

export interface ListEvents {
  limit: number;
  cursor?: string;
  /** Trimmed; an empty name selects all events. */
  eventName?: string;
  include?: 'contact';
}

/**
 * Returns one page of events, newest first. `total` is counted on the first page only, and is 0 on later pages
 * (specification, Limits).
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) if the cursor is not from this list
 */
export async function listEvents(
  ctx: Context,
  projectId: string,
  { eventName, include, ...page }: ListEvents,
): Promise<CursorPage<Event>> {
  const events = await list(ctx, { projectId, name: eventName === '' ? undefined : eventName }, page);
  if (include === undefined) return events;
  const emails = await selectContactEmails(
    ctx.pool,
    projectId,
    events.data.flatMap(({ contactId }) => contactId ?? []),
  );
  const emailOf = (contactId: string | null): string | null =>
    contactId === null ? null : (emails.get(contactId) ?? null);
  return { ...events, data: events.data.map((event) => ({ ...event, contactEmail: emailOf(event.contactId) })) };
}

/** @throws CONTACT_NOT_FOUND (404), VALIDATION_ERROR (422, field `cursor`) */
export async function listContactEvents(
  ctx: Context,
  projectId: string,
  contactId: string,
  page: Omit<ListEvents, 'eventName' | 'include'>,
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

export interface EventDays {
  /** UTC days in order, the last one is today: `2026-03-10`. */
  days: string[];
  /** The most frequent names first, each with one count per day. */
  events: Array<{ name: string; counts: number[] }>;
}

const DAY_MS = 86_400_000;

/** Returns the counts of the most frequent event names on each of the last days. Names without events are left out. */
export async function eventDays(
  { pool }: Context,
  projectId: string,
  { days: count, limit }: { days: number; limit: number },
): Promise<EventDays> {
  const now = Date.now();
  const days = Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const indexes = new Map(days.map((day, index) => [day, index]));
  const events = new Map<string, number[]>();
  for (const { name, day, count: ofDay } of await countEventsByDay(pool, projectId, days[0] ?? '', limit)) {
    const counts = events.get(name) ?? days.map(() => 0);
    events.set(name, counts);
    const index = indexes.get(day);
    if (index !== undefined) counts[index] = ofDay;
  }
  return { days, events: [...events].map(([name, counts]) => ({ name, counts })) };
}

/** Returns all names of the project's events, including the service's own, in order, up to 10,000. */
export const eventNames = ({ pool }: Context, projectId: string): Promise<string[]> =>
  selectEventNames(pool, projectId, MAX_NAMES);
