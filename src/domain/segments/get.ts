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
import {
  countMembers,
  countWhere,
  selectSegments,
  selectWhere,
  setMemberCount,
  type SegmentRow,
} from './sql/segments.js';

/** In projects with many contacts, a page shows a stored total, and an older one than this is counted again. */
const MAX_COUNT_AGE_MS = 30_000;
/** A total older than this is not shown. */
const MAX_SHOWN_COUNT_AGE_MS = 3_600_000;

/** A segment as the API returns it. */
export type Segment = Omit<SegmentRow, 'condition' | 'countedAt' | 'eventNames'> & {
  /** null for a static segment. */
  condition: ConditionTree | null;
};

/** Converts a row; only validated trees are stored as conditions. */
export const toSegment = ({ countedAt: _countedAt, eventNames: _eventNames, ...row }: SegmentRow): Segment => ({
  ...row,
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
 * Returns a page of a segment's contacts, newest first. The contacts are current, also those of dynamic segments. In
 * projects with 200,000 contacts or more, the total of a dynamic segment is the stored count.
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
  const contacts = await wideQuery(ctx.pool, async (tx) =>
    selectWhere(tx, projectId, await contactsOf(tx, segment), {
      limit: pageSize,
      offset: (page - 1) * pageSize,
      total,
    }),
  );
  return toPage(contacts, total, { page, pageSize });
}

async function readTotal(ctx: Context, segment: SegmentRow): Promise<number> {
  const { id, projectId, type, memberCount, countedAt } = segment;
  if (type === 'STATIC') return countMembers(ctx.pool, id);
  if (!(await ctx.surveys.hasManyContacts(projectId))) return countContacts(ctx, segment);
  const ageMs = countedAt ? Date.now() - countedAt.getTime() : Infinity;
  if (ageMs <= MAX_COUNT_AGE_MS) return memberCount;
  // Concurrent requests share the count.
  const count = ctx.surveys.totals.read(projectId, `segment ${id}`, (tx) => recount(tx, segment));
  if (ageMs > MAX_SHOWN_COUNT_AGE_MS) return count;
  count.catch((error: unknown) => ctx.log.warn({ err: error, segmentId: id }, 'Segments: a count failed'));
  return memberCount;
}

const countContacts = (ctx: Context, segment: SegmentRow): Promise<number> =>
  wideQuery(ctx.pool, (tx) => countNow(tx, segment));

const countNow = async (tx: Queryable, segment: SegmentRow): Promise<number> =>
  countWhere(tx, contactsWhere(segment.projectId, await contactsOf(tx, segment)));

async function recount(tx: Queryable, segment: SegmentRow): Promise<number> {
  const memberCount = await countNow(tx, segment);
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
  return { memberCount: await wideQuery(ctx.pool, (tx) => recount(tx, segment)) };
}
