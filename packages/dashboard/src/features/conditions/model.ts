/** A condition while it is edited: filters can be incomplete. Pure. */
import type { Schemas } from '../../../../client/src/index.js';
import {
  OPERATORS_OF,
  readSubject,
  type Logic,
  type Operator,
  type Unit,
} from '../../../../../src/domain/conditions/tree.js';

export interface FilterDraft {
  field?: string;
  operator?: Operator;
  value?: unknown;
  unit?: Unit;
}

export interface GroupDraft {
  filters: FilterDraft[];
  conditions?: ConditionDraft | null;
}

/** `logic` combines the groups; the filters of a group must all match. */
export interface ConditionDraft {
  logic: Logic;
  groups: GroupDraft[];
}

/** What a filter compares with. */
export type Operand = 'none' | 'boolean' | 'text' | 'list' | 'date' | 'ago' | 'any';

export const EMPTY_CONDITION: ConditionDraft = { logic: 'AND', groups: [{ filters: [{}] }] };

const AGO: readonly Operator[] = ['within', 'olderThan', 'triggeredWithin', 'triggeredOlderThan', 'notTriggeredWithin'];
const LISTS: readonly Operator[] = ['in', 'notIn'];
const TEXTS: readonly Operator[] = ['contains', 'notContains', 'startsWith', 'endsWith'];

/** Returns the operators that a field allows; none for an unknown field. */
export function operatorsOf(field: string | undefined): readonly Operator[] {
  const subject = field === undefined ? null : readSubject(field);
  return subject ? OPERATORS_OF[subject.kind] : [];
}

export function operandOf({ field, operator }: FilterDraft): Operand {
  const subject = field === undefined ? null : readSubject(field);
  if (!subject || !operator) return 'none';
  if (AGO.includes(operator)) return 'ago';
  if (LISTS.includes(operator)) return 'list';
  if (TEXTS.includes(operator)) return 'text';
  switch (subject.kind) {
    case 'subscribed':
      return 'boolean';
    case 'date':
      return 'date';
    case 'email':
      return 'text';
    case 'data':
      return operator === 'exists' || operator === 'notExists' ? 'none' : 'any';
    case 'event':
    case 'segment':
      return 'none';
  }
}

const AGO_DEFAULT = { value: 30, unit: 'days' } as const;

/** Returns the filter for another field: with its first operator, and without a value of the old field. */
export function withField(field: string): FilterDraft {
  const [operator] = operatorsOf(field);
  return withOperator({ field }, operator);
}

/** Returns the filter with another operator. The value stays if the operator compares with the same kind of value. */
export function withOperator(filter: FilterDraft, operator: Operator | undefined): FilterDraft {
  const { field } = filter;
  const changed: FilterDraft = { ...(field !== undefined && { field }), ...(operator && { operator }) };
  const operand = operandOf(changed);
  if (operand === operandOf(filter)) return { ...filter, ...changed };
  if (operand === 'ago') return { ...changed, ...AGO_DEFAULT };
  if (operand === 'boolean') return { ...changed, value: true };
  return changed;
}

/** Where a filter is: `groups.0.filters.1`, as in the errors and counts of the API. */
export const filterPath = (base: string, group: number, filter: number): string =>
  `${base}groups.${group}.filters.${filter}`;
/** The start of the paths in the tree of a group. */
export const nestedPath = (base: string, group: number): string => `${base}groups.${group}.conditions.`;

/** Returns the tree with a change of one group; a group without filters and tree is left out. */
export function changeGroup(
  tree: ConditionDraft,
  index: number,
  change: (group: GroupDraft) => GroupDraft,
): ConditionDraft {
  const groups = tree.groups.map((group, at) => (at === index ? change(group) : group));
  return { ...tree, groups: groups.filter(({ filters, conditions }) => filters.length > 0 || conditions) };
}

/** Whether the tree has no filter at all, so that every contact matches. */
export const isEmpty = (tree: ConditionDraft): boolean =>
  tree.groups.every(
    ({ filters, conditions }) =>
      filters.every(({ field }) => field === undefined) && (!conditions || isEmpty(conditions)),
  );

/** Returns the condition for the API. It refuses filters that are incomplete, and says where they are. */
export function toCondition(tree: ConditionDraft): Schemas['ConditionTreeInput'] {
  const groups = tree.groups.map(({ filters, conditions }) => ({
    filters,
    ...(conditions && { conditions: toCondition(conditions) }),
  }));
  // The API validates each part; the types of the client describe what it accepts.
  return { logic: tree.logic, groups } as Schemas['ConditionTreeInput'];
}

/** Returns the condition of the API for the editor. */
export const toDraft = ({ logic, groups }: Schemas['ConditionTree']): ConditionDraft => ({
  logic,
  groups: groups.map(({ filters, conditions }) => ({
    filters: (filters ?? []).map(({ field, operator, value, unit }) => ({
      field,
      operator,
      ...(value !== undefined && { value }),
      ...(unit && { unit }),
    })),
    conditions: conditions ? toDraft(conditions) : null,
  })),
});

/** Reads a value as it is typed: numbers and booleans are not texts, unless they are in quotation marks. */
export function readValue(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === 'true') return true;
  if (trimmed === 'false') return false;
  if (trimmed !== '' && Number.isFinite(Number(trimmed)) && !/^[+]|^0\d/.test(trimmed)) return Number(trimmed);
  const quoted = /^"(.*)"$/s.exec(trimmed);
  return quoted ? quoted[1] : text;
}

/** Writes a value so that `readValue` returns it again. */
export function showValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return readValue(value) === value ? value : `"${value}"`;
}
