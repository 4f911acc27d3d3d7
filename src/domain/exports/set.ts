/** The contacts of an export with a query. */
import { z } from 'zod';
import type { Queryable } from '../../db/pool.js';
import type { Predicate } from '../../db/predicate.js';
import { notFound, validationError } from '../../errors.js';
import { isId } from '../../ids.js';
import { resolveStored } from '../conditions/resolve.js';
import { contactsWhere, type ContactClause } from '../conditions/sql/conditions.js';
import { likePattern } from '../pagination.js';
import { selectSegmentConditions } from '../segments/sql/segments.js';

/** The filters of a set of contacts; all of them must match. */
export const ContactSet = z.object({
  condition: z.unknown().optional(),
  segmentId: z.string().optional(),
  search: z.string().optional(),
  status: z.enum(['subscribed', 'unsubscribed', 'snoozed']).optional(),
});
export type ContactSet = z.infer<typeof ContactSet>;

/**
 * Returns the clause of a set.
 *
 * @throws VALIDATION_ERROR (422) for an invalid condition, or a condition together with a segment; SEGMENT_NOT_FOUND
 * (404); BAD_REQUEST (400) for a condition that references a segment that does not exist
 */
export async function contactSetClause(db: Queryable, projectId: string, query: ContactSet): Promise<ContactClause> {
  const { sql, values } = contactsWhere(projectId, await setPredicate(db, projectId, query));
  const clauses = [sql];
  const text = query.search?.trim().toLowerCase() ?? '';
  if (text !== '') clauses.push(`c.email LIKE $${values.push(likePattern(text))}`);
  if (query.status === 'subscribed') clauses.push('c.subscribed');
  if (query.status === 'unsubscribed') clauses.push('NOT c.subscribed');
  if (query.status === 'snoozed') clauses.push('c.snoozed_until IS NOT NULL');
  return { sql: clauses.join(' AND '), values };
}

async function setPredicate(
  db: Queryable,
  projectId: string,
  { condition, segmentId }: ContactSet,
): Promise<Predicate> {
  const isGiven = condition !== undefined && condition !== null;
  if (isGiven && segmentId !== undefined)
    throw validationError([
      { field: 'query.segmentId', message: 'must not be given together with a condition', code: 'custom' },
    ]);
  if (segmentId !== undefined) {
    const [segment] = isId(segmentId) ? await selectSegmentConditions(db, projectId, [segmentId]) : [];
    if (!segment) throw notFound('SEGMENT');
    return segment.type === 'STATIC'
      ? { kind: 'member', segmentId: segment.id }
      : resolveStored(db, segment.condition, { projectId });
  }
  return isGiven ? resolveStored(db, condition, { projectId }) : { kind: 'all', of: [] };
}
