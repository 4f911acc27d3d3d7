/** `POST /contacts/preview`: counts of a condition that is being edited, and of each of its filters. */
import type { Context } from '../../context.js';
import type { Predicate } from '../../db/predicate.js';
import { wideQuery } from '../../db/wide-query.js';
import { validationError } from '../../errors.js';
import { FilterProblem, readFilter, type RawFilter } from '../conditions/filter.js';
import { resolveCondition } from '../conditions/resolve.js';
import type { ConditionTree, Filter, Group } from '../conditions/tree.js';
import { readCondition } from '../conditions/validate.js';
import type { Contact } from '../contacts/get.js';
import { contactsInSet, type ContactSet } from './set.js';
import { selectPage } from './sql/pages.js';
import { countCombined, type Combination } from './sql/preview.js';

const SAMPLE_SIZE = 10;
/** A walk visits about the same share of the contacts as the sample has of the matches. */
const MIN_WALKED = 4 * SAMPLE_SIZE;
const PLACE = 'condition';
const ANY_TIME = new Date(0);

export interface Preview {
  total: number;
  /** The number of contacts for each complete filter, by its place, such as `groups.0.filters.1`. */
  filters: Array<{ path: string; total: number }>;
  /** The places of filters that lack a part. They are ignored. */
  incomplete: string[];
  /** The newest matches. */
  sample: Contact[];
}

/**
 * Counts the contacts of a condition and of each of its filters, now, with one scan of the project's contacts.
 *
 * @throws VALIDATION_ERROR (422) for an invalid condition; BAD_REQUEST (400) if it references a segment that does not
 * exist
 */
export async function previewCondition(ctx: Context, projectId: string, condition: unknown): Promise<Preview> {
  const { tree, leaves, incomplete } = readIncomplete(condition);
  const now = new Date();
  const size = await ctx.surveys.sizeOf(projectId);
  const combined = await resolveCondition(ctx.pool, tree, { projectId, now });
  const indexes = new Map<string, number>();
  const predicates: Predicate[] = [];
  for (const { filter } of leaves) {
    const key = JSON.stringify(filter);
    if (indexes.has(key)) continue;
    indexes.set(key, predicates.length);
    predicates.push(await resolveCondition(ctx.pool, treeOf(filter), { projectId, now }));
  }
  const indexOf = (filter: Filter): number => indexes.get(JSON.stringify(filter)) ?? -1;
  const { counts, total } = await wideQuery(ctx.pool, (tx) =>
    countCombined(tx, projectId, predicates, combinationOf(tree, indexOf), size),
  );
  const filters = leaves.map(({ path, filter }) => ({ path, total: counts[indexOf(filter)] ?? 0 }));
  const sample = total === 0 ? [] : await newestOf(ctx, { projectId, predicate: combined }, total);
  return { total, filters, incomplete, sample };
}

/** Returns the newest contacts of a set. */
function newestOf(ctx: Context, set: ContactSet, total: number): Promise<Contact[]> {
  const walks = total >= MIN_WALKED;
  return wideQuery(ctx.pool, (tx) =>
    selectPage(
      tx,
      contactsInSet(set, walks ? 'walk' : 'set'),
      { sort: 'createdAt', dir: 'desc', limit: SAMPLE_SIZE, offset: 0 },
      walks ? 'index' : 'expression',
    ),
  );
}

const treeOf = (filter: Filter): ConditionTree => ({ logic: 'AND', groups: [{ filters: [filter] }] });

interface Leaf {
  /** Without the prefix `condition.`. */
  path: string;
  filter: Filter;
}

/** Validates a condition, and removes its incomplete filters. */
function readIncomplete(condition: unknown): { tree: ConditionTree; leaves: Leaf[]; incomplete: string[] } {
  const holes = new Set<string>();
  const { tree, errors } = readCondition(condition, PLACE, (filter, path) => {
    if (isHole(filter)) holes.add(path.slice(PLACE.length + 1));
  });
  if (errors.length > 0) throw validationError(errors);
  const leaves: Leaf[] = [];
  const complete = (part: ConditionTree, prefix: string): ConditionTree => ({
    ...part,
    groups: part.groups.map(({ filters, conditions }, group): Group => {
      const place = `${prefix}groups.${group}.`;
      const kept = filters
        .map((filter, index) => ({ filter, path: `${place}filters.${index}` }))
        .filter(({ path }) => !holes.has(path));
      leaves.push(...kept);
      return {
        filters: kept.map(({ filter }) => filter),
        ...(conditions && { conditions: complete(conditions, `${place}conditions.`) }),
      };
    }),
  });
  return { tree: complete(tree, ''), leaves, incomplete: [...holes] };
}

/** Whether a filter lacks a part. @throws FilterProblem if it has an invalid part */
function isHole(filter: RawFilter): boolean {
  try {
    readFilter(filter, ANY_TIME);
  } catch (error) {
    if (!(error instanceof FilterProblem)) throw error;
    const part = filter[error.part];
    const isMissing = part === undefined || part === null || part === '';
    // A field such as `data.`, whose name is still missing.
    if (isMissing || (error.part === 'field' && typeof part === 'string' && part.endsWith('.'))) return true;
    throw error;
  }
  return false;
}

/** Combines the filters of a tree. Groups without filters are ignored, like in lower.ts. */
function combinationOf({ logic, groups }: ConditionTree, indexOf: (filter: Filter) => number): Combination {
  const of = groups.flatMap(({ filters, conditions }) => {
    const nested = conditions && combinationOf(conditions, indexOf);
    const parts = [...filters.map(indexOf), ...(nested && nested.of.length > 0 ? [nested] : [])];
    return parts.length === 0 ? [] : [{ by: 'AND' as const, of: parts }];
  });
  return { by: logic, of };
}
