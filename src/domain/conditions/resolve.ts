/** Trees whose segments have to be looked up: what they ask for as of now, and whether what they name is there. */
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
  /** The moment that `within`, `olderThan` and the like count from. */
  now?: Date;
  /** A segment that is about to be written with this tree: what names it, names the new tree. */
  self?: { id: string; name: string };
}

/**
 * Turns a checked tree into the predicate of its moment, with the segments of the project as they are in `db`.
 *
 * @throws BAD_REQUEST (400) for a segment that is not in the project, for segments that name each other in a circle,
 * and for more than 1,000 filters, or more values than a statement can have, with those of all segments
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
      // An id is the same in any case; a tree finds it as it spells it.
      for (const spelled of wanted) if (spelled.toLowerCase() === id) segments.set(spelled, segment);
    }
    const missing = wanted.find((id) => !segments.has(id));
    if (missing !== undefined) throw unknownSegment(missing);
    wanted = found.flatMap(({ id }) => namedBy(segments.get(id) ?? null)).filter((id) => !segments.has(id));
    wanted = [...new Set(wanted)];
  }
  // The segment itself is where its own tree begins.
  const start: ConditionTree = self
    ? { logic: 'AND', groups: [{ filters: [{ field: `segment.${self.id}`, operator: 'memberOfSegment' }] }] }
    : tree;
  const predicate = lowerCondition(start, { now, segments });
  if (contactsWhere(projectId, predicate).values.length > MAX_VALUES)
    throw badRequest(
      'The condition and the segments that it names ask for more than PostgreSQL takes at once: leave out some filters or values.',
    );
  return predicate;
}

/** PostgreSQL takes 65,535 parameters; some are the statement's around the condition. */
const MAX_VALUES = 65_000;

const namedBy = (segment: KnownSegment | null): string[] =>
  segment?.condition ? segmentsNamedIn(segment.condition) : [];

/**
 * As resolveCondition, for a tree out of the database. @throws as resolveCondition; VALIDATION_ERROR (422) for a tree
 * of rules that no longer are
 */
export const resolveStored = (db: Queryable, condition: unknown, options: ResolveOptions): Promise<Predicate> =>
  resolveCondition(db, validateCondition(condition, 'condition'), options);
