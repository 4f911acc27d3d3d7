/** `POST /contacts/query`: a page of the contacts that match a query, with its position and the total. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { transaction } from '../../db/pool.js';
import { prepareScan, prepareWideQuery, wideQuery } from '../../db/wide-query.js';
import { validationError } from '../../errors.js';
import { isId } from '../../ids.js';
import { needsScan } from '../conditions/sql/logs.js';
import type { Contact } from '../contacts/get.js';
import { decodePlace, encodePlace, invalidCursor, isTimestamp } from '../pagination.js';
import { countWhere } from '../segments/sql/segments.js';
import { contactsInSet, resolveContactQuery, type ContactQuery, type ContactSet } from './set.js';
import { findContactList, selectListedIds, storeIds, storeRanks, type CountedList, type ListRef } from './sql/lists.js';
import { selectByIds, selectPage, type PageOrder, type PageRange } from './sql/pages.js';
import { startOf } from './sql/ranks.js';

/** The age from which on a stored list is refreshed in the background when it is read. */
const REUSE_MS = 10_000;
/** An older list is not read. */
const MAX_SHOWN_AGE_MS = 60_000;
/** How long a first page waits for its total, from the start of the request. */
const TOTAL_WAIT_MS = 60;
/** How long a first page is looked for along an index before the list is made. */
const MAX_WALK_MS = 150;
/** Pages after this position are found by their rank. */
const MAX_WALKED = 5000;
/** Lists up to this length are read as a whole for a page after a cursor. A walk visits too many other contacts. */
const MAX_WHOLE_LIST = 2000;
/** In small projects: a walk visits about as many contacts as the page and those before it have of the matches. */
const MAX_WALK_SHARE = 0.25;
const STATEMENT_TIMEOUT = '57014';

export interface QueryContacts extends ContactQuery, PageOrder {
  limit: number;
  cursor?: string;
  /** The zero-based rank of the first contact of the page. Not together with `cursor`. */
  position?: number;
}

export interface QueriedPage {
  data: Contact[];
  /** Null on the last page. */
  cursor: string | null;
  /** The zero-based rank of the first contact of the page; after a cursor, counted from the page without one. */
  position: number;
  /** The exact number of matches; null while they are being counted. */
  total: number | null;
}

/**
 * Returns a page of the contacts that match a query.
 *
 * In projects with 200,000 contacts or more, a query has a stored list, which is made when the query is first read,
 * refreshed in the background when it is read, and at most a minute old. It has the total, and either the ids of the
 * contacts or, if there are many, the number of matches in each part of the order, which leads to the page at a position.
 * Until there is a list, the first pages are found without it, and `total` is null if counting takes too long.
 *
 * @throws the errors of resolveContactQuery; VALIDATION_ERROR (422) for a cursor of another order, and for a cursor
 * together with a position
 */
export async function queryContacts(
  ctx: Context,
  projectId: string,
  { limit, cursor, position, sort, dir, ...query }: QueryContacts,
): Promise<QueriedPage> {
  const begunAt = performance.now();
  if (cursor !== undefined && position !== undefined)
    throw validationError([{ field: 'position', message: 'must not be given together with `cursor`', code: 'custom' }]);
  const start = cursor === undefined ? { position: position ?? 0 } : readCursor(cursor, { sort, dir });
  const set = await resolveContactQuery(ctx.pool, projectId, query);
  const page: SoughtPage = { set, sort, dir, ...start, limit, begunAt };
  const { rows, total } = await findPage(ctx, page, query);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const end = start.position + limit;
  const hasMore = rows.length > limit || (total !== null && end < total);
  return {
    data,
    cursor: hasMore && last ? writeCursor(last, { sort, dir, position: end }) : null,
    position: start.position,
    total,
  };
}

interface SoughtPage extends PageOrder {
  set: ContactSet;
  position: number;
  /** The place before the page. */
  after?: PageRange['after'];
  limit: number;
  /** The start of the request, as of performance.now(). */
  begunAt: number;
}

/** One contact more than the page has, if there is one. */
interface FoundPage {
  rows: Contact[];
  total: number | null;
}

/** The range of a page and of one contact more. A place takes precedence over the position. */
const rangeOf = ({ sort, dir, position, after, limit }: SoughtPage): PageRange => ({
  sort,
  dir,
  limit: limit + 1,
  offset: after ? 0 : position,
  after,
});

async function findPage(ctx: Context, page: SoughtPage, query: ContactQuery): Promise<FoundPage> {
  const isLarge = await ctx.surveys.hasManyContacts(page.set.projectId);
  return isLarge ? findListed(ctx, page, listOf(query, page)) : findAndCount(ctx, page);
}

/** Counts the matches, and finds the page now. */
const findAndCount = ({ pool }: Context, page: SoughtPage): Promise<FoundPage> =>
  wideQuery(pool, async (tx) => {
    const total = await countWhere(tx, contactsInSet(page.set));
    const isNear = page.position + page.limit <= total * MAX_WALK_SHARE;
    const rows = await selectPage(
      tx,
      contactsInSet(page.set, isNear ? 'walk' : 'set'),
      rangeOf(page),
      isNear ? 'index' : 'expression',
    );
    return { rows, total };
  });

/** The list of a query. Both directions share it. */
function listOf(query: ContactQuery, { set, sort }: SoughtPage): ListRef {
  const { condition, segmentId } = query;
  const parts = ['ranks', condition, segmentId?.toLowerCase(), set.emailPattern, set.status, sort];
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return { projectId: set.projectId, key };
}

async function findListed(ctx: Context, page: SoughtPage, list: ListRef): Promise<FoundPage> {
  const stored = await findContactList(ctx.pool, list);
  const ageMs = stored ? Date.now() - stored.listedAt.getTime() : Infinity;
  if (stored && ageMs <= MAX_SHOWN_AGE_MS) {
    if (ageMs > REUSE_MS) void refreshList(ctx, page, list, expectedSize(ctx, stored));
    return findInList(ctx, page, list, stored);
  }
  if (!page.after && page.position > MAX_WALKED)
    return findInList(ctx, page, list, await refreshList(ctx, page, list, 'unknown'));
  const walked = await walkBriefly(ctx, page);
  // A list that is made during the walk would slow it.
  const refreshed = refreshList(ctx, page, list, walked ? 'unknown' : 'few');
  if (!walked) return findInList(ctx, page, list, await refreshed);
  const waitMs = Math.max(0, page.begunAt + TOTAL_WAIT_MS - performance.now());
  const counted = await Promise.race([refreshed, sleep(waitMs, null, { ref: false })]);
  return { rows: walked, total: counted?.total ?? null };
}

/** The expected number of matches: `few` are listed one by one. */
type ExpectedSize = 'few' | 'unknown';

const expectedSize = ({ surveys }: Context, { total }: CountedList): ExpectedSize =>
  total <= surveys.maxListed ? 'few' : 'unknown';

/** Makes the list, or shares the result of a concurrent request that makes it. */
function refreshList(ctx: Context, page: SoughtPage, list: ListRef, expected: ExpectedSize): Promise<CountedList> {
  const refreshed = makeList(ctx, page, list, expected);
  refreshed.catch((error: unknown) =>
    ctx.log.warn({ err: error, projectId: list.projectId }, 'Contacts: a query could not be listed'),
  );
  return refreshed;
}

async function makeList(
  { surveys }: Context,
  { set, sort }: SoughtPage,
  list: ListRef,
  expected: ExpectedSize,
): Promise<CountedList> {
  const { maxListed } = surveys;
  const size = await surveys.sizeOf(list.projectId);
  return surveys.lists.read(list.projectId, `${expected} ${list.key}`, async (tx) => {
    const scans = set.predicate !== undefined && (await needsScan(tx, list.projectId, set.predicate));
    const clause = contactsInSet(set, scans ? 'scan' : 'set', size);
    if (scans) await prepareScan(tx, { hasLogs: true });
    const listed = expected === 'few' ? await storeIds(tx, list, clause, { sort, maxListed }) : undefined;
    if (listed) return listed;
    if (!scans) await prepareScan(tx, { hasLogs: false });
    return storeRanks(tx, list, clause, sort);
  });
}

/** Looks for the page along an index. Returns undefined if it takes long, because few contacts match. */
async function walkBriefly({ pool }: Context, page: SoughtPage): Promise<Contact[] | undefined> {
  try {
    return await transaction(pool, async (tx) => {
      await prepareWideQuery(tx, { inIndexOrder: true });
      await tx.query(`SET LOCAL statement_timeout = ${MAX_WALK_MS}`);
      return selectPage(tx, contactsInSet(page.set, 'walk'), rangeOf(page), 'index');
    });
  } catch (error) {
    if (sqlState(error) === STATEMENT_TIMEOUT) return undefined;
    throw error;
  }
}

/** Finds a page of a list: by its ids if few contacts match, and otherwise by a walk from its rank. */
async function findInList(ctx: Context, page: SoughtPage, list: ListRef, counted: CountedList): Promise<FoundPage> {
  const { position, after } = page;
  if (!after && position >= counted.total) return { rows: [], total: counted.total };
  const isFew = counted.total <= (after ? MAX_WHOLE_LIST : ctx.surveys.maxListed);
  const listed = isFew && !counted.hasIds ? await refreshList(ctx, page, list, 'few') : counted;
  const { total } = listed;
  const rows = isFew && listed.hasIds ? await findByIds(ctx, page, list, total) : await walkFromRank(ctx, page, listed);
  return { rows, total };
}

async function walkFromRank({ pool }: Context, page: SoughtPage, { ranks }: CountedList): Promise<Contact[]> {
  const { set, position, after, dir } = page;
  const start = !after && ranks ? startOf(ranks, position, dir) : {};
  const clause = contactsInSet(set, 'walk');
  return wideQuery(pool, (tx) => selectPage(tx, clause, { ...rangeOf(page), ...start }, 'index'));
}

/** After a place, all ids are read, because the positions may have changed. */
async function findByIds({ pool }: Context, page: SoughtPage, list: ListRef, total: number): Promise<Contact[]> {
  const { set, position, limit, after, dir, sort } = page;
  const isReversed = dir === 'asc' ? sort === 'createdAt' : sort === 'email';
  const last = Math.min(position + limit, total);
  const part = { start: isReversed ? total - last : position, count: Math.max(0, last - position) };
  const ids = await selectListedIds(pool, list, after ? { start: 0, count: total } : part);
  return ids.length === 0 ? [] : selectByIds(pool, contactsInSet(set, 'walk'), ids, rangeOf(page));
}

/** The value and the id of the last contact, with the order and the position of the next page. */
const writeCursor = (
  { id, email, createdAt }: Contact,
  { sort, dir, position }: PageOrder & { position: number },
): string => encodePlace([sort === 'email' ? email : createdAt.toISOString(), `${id} ${dir} ${position}`]);

/** Rejects cursors of another order: they would start at an arbitrary position. */
function readCursor(
  cursor: string,
  { sort, dir }: PageOrder,
): { position: number; after: { value: string; id: string } } {
  const [value, then] = decodePlace(cursor);
  const [id = '', direction, position = ''] = then.split(' ');
  const isOfSort = sort === 'email' ? value.includes('@') : isTimestamp(value);
  if (!isId(id) || direction !== dir || !/^\d{1,9}$/.test(position) || !isOfSort) throw invalidCursor();
  return { position: Number(position), after: { value, id } };
}
