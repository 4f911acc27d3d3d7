/** `GET /segments/:id/explain`: why a contact is in a segment or is not, filter by filter. */
import type { Context } from '../../context.js';
import type { JsonValue, Predicate } from '../../db/predicate.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { factsNeeded, holds, valueAt, type ContactFacts } from '../conditions/evaluate.js';
import { explainTree, filtersWithPaths, treeOf, type ExplainedTree } from '../conditions/explain.js';
import { resolveCondition } from '../conditions/resolve.js';
import { loadContactFacts } from '../conditions/sql/facts.js';
import { readSubject, type Filter } from '../conditions/tree.js';
import { getSegment } from './get.js';

export interface ExplainedFilter {
  /** The place in the condition, such as `groups.0.filters.1`. */
  path: string;
  matches: boolean;
  /** The value that the filter tests. null: the contact has no such value or event. */
  actual: JsonValue;
}

/**
 * Evaluates the condition of a segment for one contact, now. A static segment has no groups.
 *
 * @throws SEGMENT_NOT_FOUND (404), CONTACT_NOT_FOUND (404)
 */
export async function explainSegment(
  ctx: Context,
  projectId: string,
  segmentId: string,
  contactId: string,
): Promise<ExplainedTree<ExplainedFilter>> {
  const segment = await getSegment(ctx, projectId, segmentId);
  if (!isId(contactId)) throw notFound('CONTACT');
  const condition = segment.condition;
  const filters = condition ? filtersWithPaths(condition) : [];
  const now = new Date();
  const predicates = new Map<string, Predicate>();
  for (const { path, filter } of filters)
    predicates.set(path, await resolveCondition(ctx.pool, treeOf(filter), { projectId, now }));
  const all: Predicate = condition
    ? { kind: 'all', of: [...predicates.values()] }
    : { kind: 'member', segmentId: segment.id };
  const facts = await loadContactFacts(ctx.pool, projectId, contactId, factsNeeded(all));
  if (!facts) throw notFound('CONTACT');
  if (!condition) return { matches: holds(all, facts), groups: [] };
  return explainTree(condition, (path, filter) => {
    const predicate = predicates.get(path);
    const matches = predicate !== undefined && holds(predicate, facts);
    return { path, matches, actual: actualValue(filter, facts, matches) };
  });
}

/** Returns the value that a filter tests: for a segment, whether the contact is in it; for an event, its times. */
function actualValue({ field, operator }: Filter, facts: ContactFacts, matches: boolean): JsonValue {
  const subject = readSubject(field);
  switch (subject?.kind) {
    case 'email':
      return facts.email;
    case 'subscribed':
      return facts.subscribed;
    case 'date':
      return facts[subject.of].toISOString();
    case 'data':
      return valueAt(facts.data, subject.path) ?? null;
    case 'event': {
      const times = facts.events.get(subject.name);
      return times ? { firstAt: times.first.toISOString(), lastAt: times.last.toISOString() } : null;
    }
    case 'segment':
      return matches === (operator === 'memberOfSegment');
    case undefined:
      return null;
  }
}
