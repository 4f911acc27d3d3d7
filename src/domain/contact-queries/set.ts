/** The set of contacts that a query names (additions, section 3): for lists, bulk jobs, and exports. */
import { z } from 'zod';
import type { Queryable } from '../../db/pool.js';
import type { Predicate } from '../../db/predicate.js';
import { notFound, validationError } from '../../errors.js';
import { isId } from '../../ids.js';
import { resolveCondition, resolveStored } from '../conditions/resolve.js';
import { contactsWhere, type ClauseUse, type ContactClause, type ProjectSize } from '../conditions/sql/conditions.js';
import { validateCondition } from '../conditions/validate.js';
import { likePattern } from '../pagination.js';
import { selectSegments } from '../segments/sql/segments.js';

export const CONTACT_STATUSES = ['subscribed', 'unsubscribed', 'snoozed'] as const;

/** A query as a request contains it and as a job stores it. All given parts must match; without any, all contacts match. */
export const ContactQuery = z.object({
  /** A condition tree. */
  condition: z.unknown().optional(),
  /** A segment; not together with `condition`. */
  segmentId: z.string().optional(),
  /** A part of the address, case-insensitive. */
  search: z.string().optional(),
  /** Snoozed contacts are also unsubscribed. */
  status: z.enum(CONTACT_STATUSES).optional(),
});

export type ContactQuery = z.infer<typeof ContactQuery>;

/** A resolved query: it refers to no segment by its condition, and its periods end at the time of resolution. */
export interface ContactSet {
  projectId: string;
  /** Undefined for all contacts. */
  predicate?: Predicate;
  /** A LIKE pattern in lower case. */
  emailPattern?: string;
  status?: ContactQuery['status'];
}

/**
 * Resolves a query of a request or of a job.
 *
 * @param place the path of the query in the request, for the errors
 * @throws VALIDATION_ERROR (422) for an invalid condition, and for a condition together with a segment;
 * SEGMENT_NOT_FOUND (404); BAD_REQUEST (400) if the condition references a segment that does not exist
 */
export async function resolveContactQuery(
  db: Queryable,
  projectId: string,
  { condition, segmentId, search, status }: ContactQuery,
  place?: string,
): Promise<ContactSet> {
  const pathOf = (field: string): string => (place === undefined ? field : `${place}.${field}`);
  const hasCondition = condition !== undefined && condition !== null;
  if (hasCondition && segmentId !== undefined)
    throw validationError([
      { field: pathOf('segmentId'), message: 'must not be given together with `condition`', code: 'custom' },
    ]);
  const text = search?.trim().toLowerCase() ?? '';
  const predicate = hasCondition
    ? await resolveCondition(db, validateCondition(condition, pathOf('condition')), { projectId })
    : segmentId !== undefined
      ? await resolveSegment(db, projectId, segmentId)
      : undefined;
  return { projectId, predicate, emailPattern: text ? likePattern(text) : undefined, status };
}

async function resolveSegment(db: Queryable, projectId: string, id: string): Promise<Predicate> {
  const [segment] = isId(id) ? await selectSegments(db, projectId, id) : [];
  if (!segment) throw notFound('SEGMENT');
  return segment.type === 'STATIC'
    ? { kind: 'member', segmentId: segment.id }
    : resolveStored(db, segment.condition, { projectId });
}

const ALL: Predicate = { kind: 'all', of: [] };

const STATUS_SQL = {
  subscribed: 'c.subscribed',
  // This form matches a partial index, unlike the negation of a predicate.
  unsubscribed: 'NOT c.subscribed',
  snoozed: 'c.snoozed_until IS NOT NULL',
} as const;

/**
 * Returns the clause over `contacts c` of a set. Run it in a transaction for wide queries (src/db/wide-query.ts).
 *
 * @param size of the project, for a clause that finds the whole set
 */
export function contactsInSet(
  { projectId, predicate, emailPattern, status }: ContactSet,
  use: ClauseUse = 'set',
  size: ProjectSize = 'small',
): ContactClause {
  // All contacts, and those with another status, are read from an index.
  const isIndexed = status === undefined ? !predicate && emailPattern === undefined : status !== 'subscribed';
  const { sql, values } = contactsWhere(projectId, predicate ?? ALL, use, isIndexed ? 'small' : size);
  const parts = [sql];
  if (emailPattern !== undefined) parts.push(`c.email LIKE $${values.push(emailPattern)}`);
  if (status !== undefined) parts.push(STATUS_SQL[status]);
  return { sql: parts.join(' AND '), values };
}
