/** Explains the result of a condition for one contact, filter by filter. Pure. */
import type { ConditionTree, Filter, Group } from './tree.js';

export type ExplainedTree<Result extends { matches: boolean }> = {
  matches: boolean;
  groups: Array<ExplainedGroup<Result>>;
};

export type ExplainedGroup<Result extends { matches: boolean }> = {
  matches: boolean;
  filters: Result[];
  conditions?: ExplainedTree<Result>;
};

/** Returns a tree with one filter. */
export const treeOf = ({ field, operator, value, unit }: Filter): ConditionTree => ({
  logic: 'AND',
  groups: [{ filters: [{ field, operator, value, unit }] }],
});

/** Returns all filters of a tree with their places, such as `groups.0.filters.1`. */
export function filtersWithPaths(tree: ConditionTree, prefix = ''): Array<{ path: string; filter: Filter }> {
  return tree.groups.flatMap(({ filters, conditions }, group) => {
    const place = `${prefix}groups.${group}.`;
    return [
      ...filters.map((filter, index) => ({ path: `${place}filters.${index}`, filter })),
      ...(conditions ? filtersWithPaths(conditions, `${place}conditions.`) : []),
    ];
  });
}

const hasFilters = ({ filters, conditions }: Group): boolean =>
  filters.length > 0 || (conditions?.groups.some(hasFilters) ?? false);

/** Combines filters like lower.ts: groups without filters are ignored, and a tree without any matches. */
export function explainTree<Result extends { matches: boolean }>(
  { logic, groups }: ConditionTree,
  explain: (path: string, filter: Filter) => Result,
  prefix = '',
): ExplainedTree<Result> {
  const explained = groups.map(({ filters, conditions }, group): ExplainedGroup<Result> => {
    const place = `${prefix}groups.${group}.`;
    const own = filters.map((filter, index) => explain(`${place}filters.${index}`, filter));
    const nested = conditions && explainTree(conditions, explain, `${place}conditions.`);
    const matches = own.every((filter) => filter.matches) && (nested?.matches ?? true);
    return { matches, filters: own, ...(nested && { conditions: nested }) };
  });
  const counted = explained.filter((_, index) => {
    const group = groups[index];
    return group !== undefined && hasFilters(group);
  });
  const matches =
    counted.length === 0 ||
    (logic === 'AND' ? counted.every((group) => group.matches) : counted.some((group) => group.matches));
  return { matches, groups: explained };
}
