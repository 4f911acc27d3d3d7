/** Converts trees to predicates, with the segments that they name. */
import type { Predicate } from '../../db/predicate.js';
import type { Queryable } from '../../db/pool.js';
import { contactsWhere } from './sql/conditions.js';
import { selectSegmentConditions } from '../segments/sql/segments.js';
import { badRequest } from '../../errors.js';
import { isId } from '../../ids.js';
import { lowerCondition, unknownSegment, type KnownSegment } from './lower.js';
import { segmentsNamedIn, type ConditionTree } from './tree.js';
import { validateCondition } from './validate.js';

export interface ResolveOptions {
  projectId: string;
  /** The end of periods such as `within`; default: now. */
  now?: Date;
  /** A segment that is about to be written with this tree; references to it use the new tree. */
  self?: { id: string; name: string };
}

/**
 * Converts a valid tree to a predicate.
 *
 * @throws BAD_REQUEST (400) for a segment that is not in the project, for segments that name each other in a cycle, and
 *   if the tree and its segments have more than 1,000 filters, or more values than a statement can have
 */
export async function resolveCondition(
  db: Queryable,
  tree: ConditionTree,
  { projectId, now = new Date(), self }: ResolveOptions,
): Promise<Predicate> {
  const segments = new Map<string, KnownSegment>();
  if (self) segments.set(self.id, { ...self, condition: tree });
  let wanted = segmentsNamedIn(tree).filter((id) => !segments.has(id));
  while (wanted.length > 0) {
    const malformed = wanted.find((id) => !isId(id));
    if (malformed !== undefined) throw unknownSegment(malformed);
    const found = await selectSegmentConditions(db, projectId, wanted);
    for (const { id, name, type, condition } of found) {
      const segment = segments.get(id) ?? {
        id,
        name,
        condition: type === 'STATIC' ? null : validateCondition(condition, 'condition'),
      };
      segments.set(id, segment);
      // Ids are case-insensitive; the tree can use any case.
      for (const spelled of wanted) if (spelled.toLowerCase() === id) segments.set(spelled, segment);
    }
    const missing = wanted.find((id) => !segments.has(id));
    if (missing !== undefined) throw unknownSegment(missing);
    wanted = found.flatMap(({ id }) => namedBy(segments.get(id) ?? null)).filter((id) => !segments.has(id));
    wanted = [...new Set(wanted)];
  }
  // Starting with the segment itself detects cycles through it.
  const start: ConditionTree = self
    ? { logic: 'AND', groups: [{ filters: [{ field: `segment.${self.id}`, operator: 'memberOfSegment' }] }] }
    : tree;
  const predicate = lowerCondition(start, { now, segments });
  if (contactsWhere(projectId, predicate).values.length > MAX_VALUES)
    throw badRequest(
      'The condition and the segments that it names have more values than one statement can have. ' +
        'Remove some filters or values.',
    );
  return predicate;
}

/** PostgreSQL accepts 65,535 parameters; the statement needs some in addition to the condition. */
const MAX_VALUES = 65_000;

const namedBy = (segment: KnownSegment | null): string[] =>
  segment?.condition ? segmentsNamedIn(segment.condition) : [];

/**
 * Like resolveCondition, for a tree from the database.
 *
 * @throws the errors of resolveCondition; VALIDATION_ERROR (422) if the stored tree is no longer valid
 */
export const resolveStored = (db: Queryable, condition: unknown, options: ResolveOptions): Promise<Predicate> =>
  resolveCondition(db, validateCondition(condition, 'condition'), options);
