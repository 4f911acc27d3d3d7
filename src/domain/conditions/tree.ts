/** The condition tree of segments, audiences, and workflow conditions in the API (contract, section 6). */
import { isEventName } from '../events/name.js';

export const LOGICS = ['AND', 'OR'] as const;
export const UNITS = ['minutes', 'hours', 'days'] as const;

export const OPERATORS = [
  'equals',
  'notEquals',
  'contains',
  'notContains',
  'startsWith',
  'endsWith',
  'greaterThan',
  'lessThan',
  'greaterThanOrEqual',
  'lessThanOrEqual',
  'in',
  'notIn',
  'exists',
  'notExists',
  'within',
  'olderThan',
  'triggered',
  'notTriggered',
  'triggeredWithin',
  'triggeredOlderThan',
  'notTriggeredWithin',
  'memberOfSegment',
  'notMemberOfSegment',
] as const;

export type Logic = (typeof LOGICS)[number];
export type Unit = (typeof UNITS)[number];
export type Operator = (typeof OPERATORS)[number];

export interface Filter {
  field: string;
  operator: Operator;
  value?: unknown;
  unit?: Unit;
}

/** All filters and the nested tree must match. A group with neither is ignored. */
export interface Group {
  filters: Filter[];
  conditions?: ConditionTree;
}

/** `logic` combines the groups. A tree without a filter matches every contact. */
export interface ConditionTree {
  logic: Logic;
  groups: Group[];
}

export const MAX_LEVELS = 5;
export const MAX_FILTERS = 100;
/** The maximum number of values of `in` and `notIn`. */
export const MAX_LIST = 1000;
/** The maximum number of keys in the path of a `data` field: no request can nest its data deeper. */
export const MAX_PATH = 64;

/** The events of an email that a filter can name as `email.<name>`. */
export const EMAIL_EVENTS = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;

/** The subject of a filter. `email.opened` and the like are events with these names. */
export type Subject =
  | { kind: 'email' }
  | { kind: 'subscribed' }
  | { kind: 'date'; of: 'createdAt' | 'updatedAt' }
  | { kind: 'data'; path: string }
  | { kind: 'event'; name: string }
  | { kind: 'segment'; id: string };

/** Parses a filter's `field`; returns null for an unknown field. */
export function readSubject(field: string): Subject | null {
  if (field === 'email' || field === 'subscribed') return { kind: field };
  if (field === 'createdAt' || field === 'updatedAt') return { kind: 'date', of: field };
  const dot = field.indexOf('.');
  const rest = field.slice(dot + 1);
  if (dot === -1 || rest === '') return null;
  switch (field.slice(0, dot)) {
    case 'data':
      return { kind: 'data', path: rest };
    case 'event':
      return isEventName(rest) ? { kind: 'event', name: rest } : null;
    case 'email':
      return EMAIL_EVENTS.some((name) => name === rest) ? { kind: 'event', name: field } : null;
    case 'segment':
      return { kind: 'segment', id: rest };
    default:
      return null;
  }
}

/** The operators of each kind of field, as in the contract's table. */
export const OPERATORS_OF: Record<Subject['kind'], readonly Operator[]> = {
  email: ['equals', 'notEquals', 'contains', 'notContains', 'startsWith', 'endsWith', 'in', 'notIn'],
  subscribed: ['equals', 'notEquals'],
  date: [
    'equals',
    'notEquals',
    'greaterThan',
    'lessThan',
    'greaterThanOrEqual',
    'lessThanOrEqual',
    'within',
    'olderThan',
  ],
  data: [
    'equals',
    'notEquals',
    'contains',
    'notContains',
    'startsWith',
    'endsWith',
    'greaterThan',
    'lessThan',
    'greaterThanOrEqual',
    'lessThanOrEqual',
    'in',
    'notIn',
    'exists',
    'notExists',
    'within',
    'olderThan',
  ],
  event: ['triggered', 'notTriggered', 'triggeredWithin', 'triggeredOlderThan', 'notTriggeredWithin'],
  segment: ['memberOfSegment', 'notMemberOfSegment'],
};

/** Returns all filters of a tree, including nested ones. */
export function filtersOf(tree: ConditionTree): Filter[] {
  return tree.groups.flatMap((group) => [...group.filters, ...(group.conditions ? filtersOf(group.conditions) : [])]);
}

/** Returns the ids of the segments that a tree names, without duplicates. */
export function segmentsNamedIn(tree: ConditionTree): string[] {
  const ids = filtersOf(tree).flatMap(({ field }) => {
    const subject = readSubject(field);
    return subject?.kind === 'segment' ? [subject.id] : [];
  });
  return [...new Set(ids)];
}

/** Whether the result for a contact can change although the contact and its events stay as they are. */
export const dependsOnMore = (tree: ConditionTree): boolean =>
  filtersOf(tree).some(({ field, operator }) => field.startsWith('segment.') || TIME_OPERATORS.has(operator));

const TIME_OPERATORS: ReadonlySet<Operator> = new Set([
  'within',
  'olderThan',
  'triggeredWithin',
  'triggeredOlderThan',
  'notTriggeredWithin',
]);

/** The names of the events in a tree; null if it names segments, whose conditions can name any event. */
export function eventsNamedIn(tree: ConditionTree): string[] | null {
  const names = new Set<string>();
  for (const { field } of filtersOf(tree)) {
    const subject = readSubject(field);
    if (subject?.kind === 'segment') return null;
    if (subject?.kind === 'event') names.add(subject.name);
  }
  return [...names];
}
