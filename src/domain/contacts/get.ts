/** Reading contacts: one, or a page of the list. */
import type { Context } from '../../context.js';
import type { Predicate } from '../../db/predicate.js';
import { countContacts, selectContacts, type ContactFilter } from './sql/list.js';
import type { ContactRow } from './sql/rows.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { countListed } from '../columns/find.js';
import {
  decodeCursor,
  encodeCursor,
  invalidCursor,
  isTimestamp,
  likePattern,
  type Cursor,
  type CursorPage,
} from '../pagination.js';

/** A contact as the API shows it. */
export type Contact = ContactRow;

/** @throws CONTACT_NOT_FOUND (404), the same for a malformed id and for another project's */
export async function getContact({ prisma }: Context, projectId: string, id: string): Promise<Contact> {
  const contact = isId(id)
    ? await prisma.contact.findUnique({ where: { projectId_id: { projectId, id } }, omit: { projectId: true } })
    : null;
  if (!contact) throw notFound('CONTACT');
  return contact;
}

export type ContactStatus = 'subscribed' | 'unsubscribed' | 'snoozed';

export interface ListContacts {
  limit: number;
  cursor?: string;
  /** A part of the address, in any case. */
  search?: string;
  status?: ContactStatus;
  subscribed?: boolean;
  sort: 'createdAt' | 'email';
  dir: 'asc' | 'desc';
}

/**
 * One page of the contacts. `total` is counted on the first page only and 0 later (specification, Limits).
 *
 * A snoozed contact is not subscribed, so it is among the unsubscribed ones too.
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) for a cursor that this list didn't give out in this order
 */
export async function listContacts(
  ctx: Context,
  projectId: string,
  { limit, cursor, sort, dir, ...query }: ListContacts,
): Promise<CursorPage<Contact>> {
  const after = cursor === undefined ? undefined : readCursor(cursor, sort);
  const filter = toFilter(projectId, query);
  if (filter === null) return { data: [], cursor: null, hasMore: false, total: 0 };
  // One more than the page shows whether there is another one.
  const [rows, total] = await Promise.all([
    selectContacts(ctx.pool, { ...filter, sort, dir, after, limit: limit + 1 }),
    after ? 0 : countAll(ctx, filter, query.search),
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

async function countAll(ctx: Context, filter: ContactFilter, search: string | undefined): Promise<number> {
  const { projectId, subscribed, snoozed } = filter;
  if (snoozed) return countContacts(ctx.pool, filter);
  const of: Predicate[] = [];
  const text = searched(search);
  if (text) of.push({ kind: 'email', is: { test: 'contains', text } });
  if (subscribed !== undefined)
    of.push(subscribed ? { kind: 'subscribed' } : { kind: 'not', of: { kind: 'subscribed' } });
  return countListed(ctx, projectId, { kind: 'all', of }, (db) => countContacts(db, filter));
}

const searched = (search: string | undefined): string => search?.trim().toLowerCase() ?? '';

/** null: no contact can match, as with `status=subscribed&subscribed=false`. */
function toFilter(
  projectId: string,
  { search, status, subscribed }: Pick<ListContacts, 'search' | 'status' | 'subscribed'>,
): ContactFilter | null {
  const wanted = status === undefined ? subscribed : status === 'subscribed';
  if (subscribed !== undefined && subscribed !== wanted) return null;
  const text = searched(search);
  return {
    projectId,
    emailPattern: text ? likePattern(text) : undefined,
    subscribed: wanted,
    snoozed: status === 'snoozed' ? true : undefined,
  };
}

/** Cursors of the other order are refused: they would begin at an arbitrary place. */
function readCursor(cursor: string, sort: ListContacts['sort']): Cursor {
  const place = decodeCursor(cursor);
  const fits = sort === 'email' ? place.value.includes('@') : isTimestamp(place.value);
  if (!fits) throw invalidCursor();
  return place;
}
