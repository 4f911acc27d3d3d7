/** Reading contacts: one, or a page of the list. */
import type { Context } from '../../context.js';
import { countContacts, selectContacts, type ContactFilter } from './sql/list.js';
import { findContact, type ContactRow } from './sql/rows.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import {
  decodeCursor,
  encodeCursor,
  invalidCursor,
  isTimestamp,
  likePattern,
  type Cursor,
  type CursorPage,
} from '../pagination.js';

/** A contact as the API returns it. */
export type Contact = ContactRow;

/** @throws CONTACT_NOT_FOUND (404), also for a malformed id or an id of another project */
export async function getContact({ pool }: Context, projectId: string, id: string): Promise<Contact> {
  const contact = isId(id) ? await findContact(pool, projectId, id) : undefined;
  if (!contact) throw notFound('CONTACT');
  return contact;
}

export type ContactStatus = 'subscribed' | 'unsubscribed' | 'snoozed';

export interface ListContacts {
  limit: number;
  cursor?: string;
  /** A part of the address, case-insensitive. */
  search?: string;
  status?: ContactStatus;
  subscribed?: boolean;
  sort: 'createdAt' | 'email';
  dir: 'asc' | 'desc';
}

/**
 * Returns one page of contacts. `total` is counted on the first page only, and 0 later (specification, Limits). In projects
 * with 200,000 contacts or more, it can be 10 seconds old. A snoozed contact also counts as unsubscribed.
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) for a cursor of another list or order
 */
export async function listContacts(
  ctx: Context,
  projectId: string,
  { limit, cursor, sort, dir, ...query }: ListContacts,
): Promise<CursorPage<Contact>> {
  const after = cursor === undefined ? undefined : readCursor(cursor, sort);
  const filter = toFilter(projectId, query);
  if (filter === null) return { data: [], cursor: null, hasMore: false, total: 0 };
  // The additional row tells whether there is another page.
  const [rows, total] = await Promise.all([
    selectContacts(ctx.pool, { ...filter, sort, dir, after, limit: limit + 1 }),
    after ? 0 : countListed(ctx, filter),
  ]);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return {
    data,
    cursor:
      hasMore && last
        ? encodeCursor({ value: sort === 'email' ? last.email : last.createdAt.toISOString(), id: last.id })
        : null,
    hasMore,
    total,
  };
}

const countListed = (ctx: Context, filter: ContactFilter): Promise<number> =>
  ctx.surveys.totals.read(filter.projectId, JSON.stringify(filter), (tx) => countContacts(tx, filter));

const normalizeSearch = (search: string | undefined): string => search?.trim().toLowerCase() ?? '';

/** Returns null if no contact can match, as with `status=subscribed&subscribed=false`. */
function toFilter(
  projectId: string,
  { search, status, subscribed }: Pick<ListContacts, 'search' | 'status' | 'subscribed'>,
): ContactFilter | null {
  const wanted = status === undefined ? subscribed : status === 'subscribed';
  if (subscribed !== undefined && subscribed !== wanted) return null;
  const text = normalizeSearch(search);
  return {
    projectId,
    emailPattern: text ? likePattern(text) : undefined,
    subscribed: wanted,
    snoozed: status === 'snoozed' ? true : undefined,
  };
}

/** Rejects cursors of the other order: they would start at an arbitrary position. */
function readCursor(cursor: string, sort: ListContacts['sort']): Cursor {
  const position = decodeCursor(cursor);
  const isOfOrder = sort === 'email' ? position.value.includes('@') : isTimestamp(position.value);
  if (!isOfOrder) throw invalidCursor();
  return position;
}
