/** Reading segments: the list, one, and the contacts of one. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import type { Predicate } from '../../db/predicate.js';
import { selectSegments, setMemberCount, type SegmentRow } from './sql/segments.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { countContactsWhere, findContacts } from '../columns/find.js';
import { resolveStored } from '../conditions/resolve.js';
import type { ConditionTree } from '../conditions/tree.js';
import type { Contact } from '../contacts/get.js';
import { toPage, type Page, type PageRequest } from '../pagination.js';

/** A segment as the API shows it. */
export type Segment = Omit<SegmentRow, 'condition'> & {
  /** null for a static one. */
  condition: ConditionTree | null;
};

/** A row as a segment; nothing but a checked tree is ever written as its condition. */
export const toSegment = (row: SegmentRow): Segment => ({ ...row, condition: row.condition as ConditionTree | null });

/** All segments of a project, the newest first. */
export async function listSegments({ pool }: Context, projectId: string): Promise<Segment[]> {
  return (await selectSegments(pool, projectId)).map(toSegment);
}

/** @throws SEGMENT_NOT_FOUND (404), the same for a malformed id and for another project's */
export async function getSegment({ pool }: Context, projectId: string, id: string): Promise<Segment> {
  const [row] = isId(id) ? await selectSegments(pool, projectId, id) : [];
  if (!row) throw notFound('SEGMENT');
  return toSegment(row);
}

/** What decides who belongs to a segment. */
export interface ContactSource {
  id: string;
  projectId: string;
  type: Segment['type'];
  condition: unknown;
}

/**
 * Who belongs to a segment now: the members of a static one, and whoever meets the condition of a dynamic one.
 *
 * @throws BAD_REQUEST (400) when its condition names a segment that is gone
 */
export async function contactsOf(db: Queryable, { id, projectId, type, condition }: ContactSource): Promise<Predicate> {
  return type === 'STATIC' ? { kind: 'member', segmentId: id } : resolveStored(db, condition, { projectId });
}

/**
 * A page of a segment's contacts, the newest first; live for dynamic segments.
 *
 * @throws SEGMENT_NOT_FOUND (404)
 */
export async function listSegmentContacts(
  ctx: Context,
  projectId: string,
  id: string,
  { page, pageSize }: PageRequest,
): Promise<Page<Contact>> {
  const segment = await getSegment(ctx, projectId, id);
  const { total, contacts } = await findContacts(ctx, projectId, (tx) => contactsOf(tx, segment), {
    limit: pageSize,
    offset: (page - 1) * pageSize,
  });
  return toPage(contacts, total, { page, pageSize });
}

/**
 * Counts a segment's contacts anew; writes nothing else, and no events.
 *
 * @throws SEGMENT_NOT_FOUND (404)
 */
export async function refreshSegment(ctx: Context, projectId: string, id: string): Promise<{ memberCount: number }> {
  const segment = await getSegment(ctx, projectId, id);
  const memberCount = await countContactsWhere(ctx, projectId, (tx) => contactsOf(tx, segment));
  await setMemberCount(ctx.pool, id, memberCount);
  return { memberCount };
}
