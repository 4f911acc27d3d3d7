/** The condition tree of segments, audiences and workflow conditions, as the API takes it (contract, section 6). */
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

/** Its filters and its nested tree must all hold. A group with neither says nothing, and is as if it were not there. */
export interface Group {
  filters: Filter[];
  conditions?: ConditionTree;
}

/** `logic` joins the groups. A tree without a single filter holds for everybody. */
export interface ConditionTree {
  logic: Logic;
  groups: Group[];
}

export const MAX_LEVELS = 5;
export const MAX_FILTERS = 100;
/** Of `in` and `notIn`. */
export const MAX_LIST = 1000;
/** Keys in the path of a `data` field: no request can nest its data deeper. */
export const MAX_PATH = 64;

/** The events of an email that a filter can name as `email.<name>`. */
export const EMAIL_EVENTS = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;

/** What a filter is about. An email's fate is the event of that name. */
export type Subject =
  | { kind: 'email' }
  | { kind: 'subscribed' }
  | { kind: 'date'; of: 'createdAt' | 'updatedAt' }
  | { kind: 'data'; path: string }
  | { kind: 'event'; name: string }
  | { kind: 'segment'; id: string };

/** Reads a filter's `field`; null when there is no such field. */
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

/** The operators of each kind of field, by the contract's table. */
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

/** All filters of a tree, nested ones too. */
export function filtersOf(tree: ConditionTree): Filter[] {
  return tree.groups.flatMap((group) => [...group.filters, ...(group.conditions ? filtersOf(group.conditions) : [])]);
}

/** The ids of the segments that a tree names, each once. */
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
