/** Converts a condition tree to the predicate that both engines evaluate. Pure. */
import type { Predicate } from '../../db/predicate.js';
import { badRequest } from '../../errors.js';
import { readFilter, type Asked } from './filter.js';
import type { ConditionTree, Filter, Group } from './tree.js';

/** A segment that a tree names; only a dynamic segment has a condition. */
export interface KnownSegment {
  id: string;
  name: string;
  condition: ConditionTree | null;
}

export interface LowerOptions {
  /** The end of periods such as `within`. */
  now: Date;
  /** All segments that the tree names, directly or indirectly. */
  segments: ReadonlyMap<string, KnownSegment>;
}

/**
 * The maximum number of filters, including those of named segments. The number doubles with each segment that names the
 * previous one twice.
 */
const MAX_EXPANDED = 1000;

/**
 * Converts a valid tree to a predicate: dynamic segments are replaced by their conditions, and periods by times.
 *
 * @throws BAD_REQUEST (400) for an unknown segment, for segments that name each other in a cycle, and for more than
 *   1,000 filters
 */
export function lowerCondition(tree: ConditionTree, options: LowerOptions): Predicate {
  return new Lowering(options).tree(tree, []);
}

class Lowering {
  private filters = 0;

  constructor(private readonly options: LowerOptions) {}

  /** `within` are the segments that contain the tree, the outermost first. */
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
        `The segments name each other in a cycle: ${[...within, segment].map(({ name }) => name).join(' → ')}.`,
      );
    return this.tree(segment.condition, [...within, segment]);
  }
}

/** Returns the only element of a list. A predicate without a redundant level has simpler SQL and a simpler plan. */
const alone = (predicates: Predicate[]): Predicate | undefined => (predicates.length === 1 ? predicates[0] : undefined);

/** The predicate of a tree without filters: it matches every contact. */
const ALWAYS: Predicate = { kind: 'all', of: [] };

/** The error for an unknown id, a malformed id, and an id of another project. */
export const unknownSegment = (id: string) =>
  badRequest(`The condition references a segment that does not exist in this project: ${id.slice(0, 100)}`);
