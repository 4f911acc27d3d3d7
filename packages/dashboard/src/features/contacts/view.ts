/** Which contacts the list shows: its search parameters, and the query of the API. */
import type { Schemas } from '../../../../client/src/index.js';
import { oneOf, textOf } from '../../routing/search.js';
import { isEmpty, toCondition, type ConditionDraft } from '../conditions/model.js';

export const STATUSES = ['subscribed', 'unsubscribed', 'snoozed'] as const;
export const SORTS = ['createdAt', 'email'] as const;

export interface ContactView {
  search?: string | undefined;
  status?: (typeof STATUSES)[number] | undefined;
  sort?: (typeof SORTS)[number] | undefined;
  dir?: 'asc' | 'desc' | undefined;
  segmentId?: string | undefined;
  /** The filters, while no segment is chosen. */
  where?: ConditionDraft | undefined;
  /** Keys of the contacts' data that have a column. */
  columns?: string[] | undefined;
}

export const readContactView = (search: Record<string, unknown>): ContactView => ({
  search: textOf(search.search),
  status: oneOf(STATUSES, search.status),
  sort: oneOf(SORTS, search.sort),
  dir: oneOf(['asc', 'desc'] as const, search.dir),
  segmentId: textOf(search.segmentId),
  where: isCondition(search.where) ? search.where : undefined,
  columns: Array.isArray(search.columns) ? search.columns.filter((key) => typeof key === 'string') : undefined,
});

const isCondition = (value: unknown): value is ConditionDraft =>
  typeof value === 'object' && value !== null && 'groups' in value && Array.isArray(value.groups) && 'logic' in value;

/** The query of a view, without its paging. Incomplete filters are left out. */
export function queryOf({ search, status, sort, dir, segmentId, where }: ContactView): Schemas['ContactQueryInput'] {
  const complete = where && withoutIncomplete(where);
  return {
    ...(search !== undefined && { search }),
    ...(status !== undefined && { status }),
    ...(sort !== undefined && { sort, dir: dir ?? (sort === 'email' ? 'asc' : 'desc') }),
    ...(segmentId !== undefined && { segmentId }),
    ...(segmentId === undefined && complete && !isEmpty(complete) && { condition: toCondition(complete) }),
  };
}

const NEEDS_NO_VALUE = ['exists', 'notExists', 'triggered', 'notTriggered', 'memberOfSegment', 'notMemberOfSegment'];

function withoutIncomplete(tree: ConditionDraft): ConditionDraft {
  const groups = tree.groups.map(({ filters, conditions }) => ({
    filters: filters.filter(
      ({ field, operator, value }) =>
        field !== undefined && operator !== undefined && (NEEDS_NO_VALUE.includes(operator) || value !== undefined),
    ),
    conditions: conditions ? withoutIncomplete(conditions) : null,
  }));
  return { ...tree, groups: groups.filter(({ filters, conditions }) => filters.length > 0 || conditions) };
}

export const isFiltered = ({ search, status, segmentId, where }: ContactView): boolean =>
  search !== undefined || status !== undefined || segmentId !== undefined || (where !== undefined && !isEmpty(where));
