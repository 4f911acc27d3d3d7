/** From a condition tree to the predicate that both engines answer. Pure. */
import type { Predicate } from '../../db/predicate.js';
import { badRequest } from '../../errors.js';
import { readFilter, type Asked } from './filter.js';
import type { ConditionTree, Filter, Group } from './tree.js';

/** A segment that a tree names; a dynamic one has a condition. */
export interface KnownSegment {
  id: string;
  name: string;
  condition: ConditionTree | null;
}

export interface LowerOptions {
  /** The moment that `within`, `olderThan` and the like count from. */
  now: Date;
  /** All segments that the tree names, directly or by way of others. */
  segments: ReadonlyMap<string, KnownSegment>;
}

/**
 * Filters of a tree with those of the segments that it names: a chain of segments that each name the one before twice
 * doubles with each.
 */
const MAX_EXPANDED = 1000;

/**
 * Turns a checked tree into a predicate: dynamic segments are replaced by their own conditions, periods by moments.
 *
 * @throws BAD_REQUEST (400) for a segment that is not there, for segments that name each other in a circle, and for
 * more than 1,000 filters in all
 */
export function lowerCondition(tree: ConditionTree, options: LowerOptions): Predicate {
  return new Lowering(options).tree(tree, []);
}

class Lowering {
  private filters = 0;

  constructor(private readonly options: LowerOptions) {}

  /** `within` are the segments that the tree is a part of, the outermost first. */
  tree({ logic, groups }: ConditionTree, within: readonly KnownSegment[]): Predicate {
    const of = groups.flatMap((group) => this.group(group, within) ?? []);
    if (of.length === 0) return ALWAYS;
    return alone(of) ?? { kind: logic === 'AND' ? 'all' : 'any', of };
  }

  private group({ filters, conditions }: Group, within: readonly KnownSegment[]): Predicate | null {
    const nested = conditions ? this.tree(conditions, within) : ALWAYS;
    const of = [...filters.map((filter) => this.filter(filter, within)), ...(nested === ALWAYS ? [] : [nested])];
    return of.length === 0 ? null : (alone(of) ?? { kind: 'all', of });
  }

  private filter(filter: Filter, within: readonly KnownSegment[]): Predicate {
    this.filters += 1;
    if (this.filters > MAX_EXPANDED)
      throw badRequest(`The condition and the segments that it names have more than ${MAX_EXPANDED} filters.`);
    const { asks, negated } = readFilter(filter, this.options.now);
    const questions = (Array.isArray(asks) ? asks : [asks]).map((asked) => this.question(asked, within));
    const predicate: Predicate = alone(questions) ?? { kind: 'any', of: questions };
    return negated ? { kind: 'not', of: predicate } : predicate;
  }

  private question(asked: Asked, within: readonly KnownSegment[]): Predicate {
    if (asked.kind !== 'segment') return asked;
    const segment = this.options.segments.get(asked.id);
    if (!segment) throw unknownSegment(asked.id);
    if (segment.condition === null) return { kind: 'member', segmentId: segment.id };
    if (within.includes(segment))
      throw badRequest(
        `The segments name each other in a circle: ${[...within, segment].map(({ name }) => name).join(' → ')}.`,
      );
    return this.tree(segment.condition, [...within, segment]);
  }
}

/** The only one of a list: the SQL is the simpler for it, and so is its plan. */
const alone = (predicates: Predicate[]): Predicate | undefined => (predicates.length === 1 ? predicates[0] : undefined);

/** A tree that says nothing holds for everybody. */
const ALWAYS: Predicate = { kind: 'all', of: [] };

/** The same for an unknown id, a malformed one and another project's. */
export const unknownSegment = (id: string) =>
  badRequest(`The condition names a segment that there isn't in this project: ${id.slice(0, 100)}`);
