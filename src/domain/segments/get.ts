/** Reading segments: the list, one, and the contacts of one. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import type { Predicate } from '../../db/predicate.js';
import { wideQuery } from '../../db/wide-query.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { resolveStored } from '../conditions/resolve.js';
import { contactsWhere } from '../conditions/sql/conditions.js';
import type { ConditionTree } from '../conditions/tree.js';
import type { Contact } from '../contacts/get.js';
import { toPage, type Page, type PageRequest } from '../pagination.js';
import { toRevised, type Revised } from '../revisions.js';
import { lockMembers, MAX_LISTED, selectListed, selectListedIds, storeList } from './sql/lists.js';
import {
  countMembers,
  countWhere,
  selectSegments,
  selectWhere,
  setMemberCount,
  type PageWhere,
  type SegmentRow,
} from './sql/segments.js';

/** The age from which on a stored count and a stored list are refreshed when they are read. */
const REUSE_MS = 30_000;
/** An older stored count or list is not shown. */
const MAX_SHOWN_AGE_MS = 3_600_000;
/**
 * Finding a page now visits about the same share of all contacts as the page and those before it have of the matches.
 * Up to this share, that takes at most 50 ms for a million contacts.
 */
const MAX_LIVE_SHARE = 0.005;
/** A static segment with fewer members needs no list: any of its pages takes at most 50 ms. */
const MIN_LISTED_MEMBERS = 4000;

/** A segment as the API returns it. */
export type Segment = Omit<SegmentRow, 'condition' | 'countedAt' | 'eventNames' | 'revision'> &
  Revised & {
    /** null for a static segment. */
    condition: ConditionTree | null;
  };

/** Converts a row; only validated trees are stored as conditions. */
export const toSegment = ({ countedAt: _countedAt, eventNames: _eventNames, ...row }: SegmentRow): Segment => ({
  ...toRevised(row),
  condition: row.condition as ConditionTree | null,
});

/** All segments of a project, newest first. */
export async function listSegments({ pool }: Context, projectId: string): Promise<Segment[]> {
  return (await selectSegments(pool, projectId)).map(toSegment);
}

/** @throws SEGMENT_NOT_FOUND (404), also for a malformed id or an id of another project */
export const getSegment = async (ctx: Context, projectId: string, id: string): Promise<Segment> =>
  toSegment(await findRow(ctx, projectId, id));

async function findRow({ pool }: Context, projectId: string, id: string): Promise<SegmentRow> {
  const [row] = isId(id) ? await selectSegments(pool, projectId, id) : [];
  if (!row) throw notFound('SEGMENT');
  return row;
}

/**
 * The contacts of a segment now: the members of a static segment, or the contacts that meet a dynamic segment's condition.
 *
 * @throws BAD_REQUEST (400) if its condition names a segment that does not exist
 */
const contactsOf = async (db: Queryable, { id, projectId, type, condition }: SegmentRow): Promise<Predicate> =>
  type === 'STATIC' ? { kind: 'member', segmentId: id } : resolveStored(db, condition, { projectId });

/**
 * Returns a page of a segment's contacts, newest first. All of them match the condition now.
 *
 * In projects with 200,000 contacts or more, the total of a dynamic segment is its stored count. Most of its pages then
 * come from its stored list, and lack contacts that have met the condition only since. Count and list are refreshed in
 * the background when they are read, and at most an hour old. A static segment with many members also has a list, which
 * a change of its members deletes.
 *
 * @throws SEGMENT_NOT_FOUND (404)
 */
export async function listSegmentContacts(
  ctx: Context,
  projectId: string,
  id: string,
  { page, pageSize }: PageRequest,
): Promise<Page<Contact>> {
  const segment = await findRow(ctx, projectId, id);
  const total = await readTotal(ctx, segment);
  const range = { limit: pageSize, offset: (page - 1) * pageSize, total };
  const listed = (await hasList(ctx, segment)) ? await readListed(ctx, segment, range) : undefined;
  const contacts = listed ?? (await readPage(ctx, segment, range));
  return toPage(contacts, total, { page, pageSize });
}

/** Whether a segment has a stored list. */
const hasList = async ({ surveys }: Context, { projectId, type, memberCount }: SegmentRow): Promise<boolean> =>
  (type === 'DYNAMIC' || memberCount >= MIN_LISTED_MEMBERS) && surveys.hasManyContacts(projectId);

const readPage = (ctx: Context, segment: SegmentRow, range: PageWhere): Promise<Contact[]> =>
  wideQuery(ctx.pool, async (tx) => selectWhere(tx, segment.projectId, await contactsOf(tx, segment), range));

/** Returns a page of the stored list, or undefined if finding the page now is as fast or the list does not contain it. */
async function readListed(ctx: Context, segment: SegmentRow, range: PageWhere): Promise<Contact[] | undefined> {
  const end = range.offset + range.limit;
  if (end <= range.total * MAX_LIVE_SHARE || end > MAX_LISTED) return undefined;
  const listed = await selectListedIds(ctx.pool, segment.id, range);
  const isShown = await refreshIfOld(ctx, segment, listed?.listedAt);
  const current = isShown ? listed : await selectListedIds(ctx.pool, segment.id, range);
  // A change of the members has deleted the new list.
  if (!current) return undefined;
  const predicate = await contactsOf(ctx.pool, segment);
  return selectListed(ctx.pool, contactsWhere(segment.projectId, predicate, 'walk'), current.ids);
}

async function readTotal(ctx: Context, segment: SegmentRow): Promise<number> {
  if (segment.type === 'STATIC') return countMembers(ctx.pool, segment.id);
  if (!(await hasList(ctx, segment))) return wideQuery(ctx.pool, (tx) => countNow(tx, segment));
  if (await refreshIfOld(ctx, segment, segment.countedAt)) return segment.memberCount;
  return (await findRow(ctx, segment.projectId, segment.id)).memberCount;
}

/**
 * Refreshes the count and the list of a segment: in the background if they are not too old to be shown.
 *
 * @returns false if they were too old, and have been refreshed
 */
async function refreshIfOld(ctx: Context, segment: SegmentRow, since: Date | null | undefined): Promise<boolean> {
  const ageMs = since ? Date.now() - since.getTime() : Infinity;
  if (ageMs <= REUSE_MS) return true;
  // Concurrent requests share the refresh, unless the members of a static segment have changed in the meantime.
  const key = `segment ${segment.id} ${segment.countedAt?.getTime()}`;
  const refreshed = ctx.surveys.totals.read(segment.projectId, key, (tx) => recount(tx, segment, listNow));
  if (ageMs > MAX_SHOWN_AGE_MS) {
    await refreshed;
    return false;
  }
  refreshed.catch((error: unknown) => ctx.log.warn({ err: error, segmentId: segment.id }, 'Segments: a count failed'));
  return true;
}

const countNow = async (tx: Queryable, segment: SegmentRow): Promise<number> =>
  countWhere(tx, contactsWhere(segment.projectId, await contactsOf(tx, segment)));

async function listNow(tx: Queryable, segment: SegmentRow): Promise<number> {
  // A concurrent change of the members would delete the previous list only, and not this one.
  if (segment.type === 'STATIC') await lockMembers(tx, segment.id);
  return storeList(tx, segment.id, contactsWhere(segment.projectId, await contactsOf(tx, segment)));
}

async function recount(tx: Queryable, segment: SegmentRow, count: typeof countNow): Promise<number> {
  const memberCount = await count(tx, segment);
  await setMemberCount(tx, segment.id, memberCount);
  return memberCount;
}

/**
 * Counts a segment's contacts and stores the count; writes no members and no events.
 *
 * @throws SEGMENT_NOT_FOUND (404)
 */
export async function refreshSegment(ctx: Context, projectId: string, id: string): Promise<{ memberCount: number }> {
  const segment = await findRow(ctx, projectId, id);
  const count = (await hasList(ctx, segment)) ? listNow : countNow;
  return { memberCount: await wideQuery(ctx.pool, (tx) => recount(tx, segment, count)) };
}
