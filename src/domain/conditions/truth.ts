/**
 * The truth table of conditions: the result of each operator for each kind of value. The tests compare both engines,
 * the compiled SQL and the evaluator in memory, with this table. If an engine differs from the table, the engine is
 * wrong.
 *
 * Rules:
 *
 * - A positive operator matches only a value of its kind. A missing value, null, or a value of another kind does not
 *   match
 *   and is not an error.
 * - A negative operator (`not…`) is the exact opposite of its positive operator: it matches a missing value, null, and
 *   a
 *   value of another kind.
 * - `equals` and `in` are exact for data (type, case, whole lists and objects) and case-insensitive for the address.
 *   `equals` null matches null but not a missing value. `exists` treats null as missing.
 * - `contains`, `startsWith`, and `endsWith` match only texts, case-insensitively (Unicode's simple mapping).
 * - Comparisons match numbers with numbers, and texts with texts by code point. If the text of a filter is a date, it
 *   compares only with dates.
 * - A date is ISO 8601 with a four-digit year; the default zone is UTC. In a filter, a date without a time is the whole
 *   UTC
 *   day: `greaterThan` means after the day, `lessThanOrEqual` until the end of the day. In data, it is the midnight at the
 *   start of the day.
 * - `within` is the period from the given time ago until now; `olderThan` is the time before that period.
 * - `triggeredOlderThan` matches if any such event is that old, regardless of later events. `notTriggeredWithin` also
 *   matches contacts that never had the event.
 */
import type { ConditionTree, Operator, Unit } from './tree.js';

/** The current time in the table. */
export const TRUTH_NOW = new Date('2030-06-15T12:00:00.000Z');

/** The contact of the table's rows; a row can override its fields. */
export interface TruthContact {
  email: string;
  subscribed: boolean;
  createdAt: string;
  data: Record<string, unknown>;
  /** The times of each event, by name. */
  events: Record<string, string[]>;
}

export const TRUTH_CONTACT: TruthContact = {
  email: 'ada@example.com',
  subscribed: true,
  createdAt: '2030-06-10T08:30:00.000Z',
  data: {},
  events: {},
};

export interface TruthRow {
  operator: Operator;
  /** The value of the filter. */
  value?: unknown;
  unit?: Unit;
  /** The kinds of `data.x` that match. */
  holds: readonly DataKind[];
}

/** The values of `data.x`, by kind. */
export const DATA_KINDS = {
  missing: undefined,
  null: null,
  true: true,
  zero: 0,
  five: 5,
  'text five': '5',
  'text empty': '',
  'text pro': 'pro',
  'text Pro Plan': 'Pro Plan',
  list: ['pro', 5],
  object: { pro: 5 },
  day: '2030-06-10',
  moment: '2030-06-10T23:59:59.999Z',
  'moment elsewhere': '2030-06-11T01:00:00+02:00',
  future: '2030-06-20',
  'no day': '2030-02-30',
} as const;

export type DataKind = keyof typeof DATA_KINDS;

const all = Object.keys(DATA_KINDS) as DataKind[];
const but = (...kinds: DataKind[]): DataKind[] => all.filter((kind) => !kinds.includes(kind));

/** Filters on `data.x`. */
export const DATA_TRUTH: readonly TruthRow[] = [
  { operator: 'equals', value: 'pro', holds: ['text pro'] },
  { operator: 'notEquals', value: 'pro', holds: but('text pro') },
  { operator: 'equals', value: 5, holds: ['five'] },
  { operator: 'notEquals', value: 5, holds: but('five') },
  { operator: 'equals', value: '5', holds: ['text five'] },
  { operator: 'equals', value: true, holds: ['true'] },
  { operator: 'equals', value: '', holds: ['text empty'] },
  { operator: 'equals', value: null, holds: ['null'] },
  { operator: 'notEquals', value: null, holds: but('null') },
  { operator: 'equals', value: ['pro', 5], holds: ['list'] },
  { operator: 'equals', value: ['pro'], holds: [] },
  { operator: 'equals', value: { pro: 5 }, holds: ['object'] },
  { operator: 'equals', value: {}, holds: [] },
  { operator: 'equals', value: '2030-06-10', holds: ['day', 'moment', 'moment elsewhere'] },
  { operator: 'notEquals', value: '2030-06-10', holds: but('day', 'moment', 'moment elsewhere') },
  { operator: 'equals', value: '2030-06-10T23:00:00Z', holds: ['moment elsewhere'] },
  { operator: 'contains', value: 'PRO', holds: ['text pro', 'text Pro Plan'] },
  { operator: 'contains', value: '5', holds: ['text five', 'moment'] },
  { operator: 'notContains', value: 'PRO', holds: but('text pro', 'text Pro Plan') },
  { operator: 'startsWith', value: 'pRo', holds: ['text pro', 'text Pro Plan'] },
  { operator: 'endsWith', value: 'plaN', holds: ['text Pro Plan'] },
  { operator: 'greaterThan', value: 0, holds: ['five'] },
  { operator: 'greaterThanOrEqual', value: 0, holds: ['zero', 'five'] },
  { operator: 'lessThan', value: 5, holds: ['zero'] },
  { operator: 'lessThanOrEqual', value: 5, holds: ['zero', 'five'] },
  { operator: 'greaterThan', value: 'pr', holds: ['text pro'] },
  {
    operator: 'lessThan',
    value: 'pro',
    holds: ['text five', 'text empty', 'text Pro Plan', 'day', 'moment', 'moment elsewhere', 'future', 'no day'],
  },
  { operator: 'greaterThanOrEqual', value: 'pro', holds: ['text pro'] },
  { operator: 'lessThanOrEqual', value: '', holds: ['text empty'] },
  { operator: 'greaterThan', value: '2030-06-10', holds: ['future'] },
  { operator: 'greaterThanOrEqual', value: '2030-06-10', holds: ['day', 'moment', 'moment elsewhere', 'future'] },
  { operator: 'lessThan', value: '2030-06-10', holds: [] },
  { operator: 'lessThanOrEqual', value: '2030-06-10', holds: ['day', 'moment', 'moment elsewhere'] },
  { operator: 'lessThan', value: '2030-06-10T23:00:00Z', holds: ['day'] },
  { operator: 'greaterThan', value: '2030-06-10T23:00:00Z', holds: ['moment', 'future'] },
  { operator: 'in', value: ['pro', 5, null], holds: ['text pro', 'five', 'null'] },
  { operator: 'in', value: ['pro', '2030-06-10'], holds: ['text pro', 'day', 'moment', 'moment elsewhere'] },
  { operator: 'in', value: [], holds: [] },
  { operator: 'notIn', value: ['pro', 5], holds: but('text pro', 'five') },
  { operator: 'notIn', value: [], holds: all },
  { operator: 'exists', holds: but('missing', 'null') },
  { operator: 'notExists', holds: ['missing', 'null'] },
  { operator: 'within', value: 5, unit: 'days', holds: ['moment', 'moment elsewhere'] },
  { operator: 'within', value: 10, unit: 'days', holds: ['day', 'moment', 'moment elsewhere'] },
  { operator: 'olderThan', value: 5, unit: 'days', holds: ['day'] },
  { operator: 'olderThan', value: 1, unit: 'minutes', holds: ['day', 'moment', 'moment elsewhere'] },
];

/** A filter on another field, the changes to the contact, and whether the contact matches. */
export interface FieldTruth {
  filter: { field: string; operator: Operator; value?: unknown; unit?: Unit };
  contact?: Partial<TruthContact>;
  holds: boolean;
}

const hadAt = (...times: string[]): Partial<TruthContact> => ({ events: { bought: times } });
const DAY_AGO = '2030-06-14T12:00:00.000Z';
const YEAR_AGO = '2029-06-15T12:00:00.000Z';

export const FIELD_TRUTH: readonly FieldTruth[] = [
  { filter: { field: 'email', operator: 'equals', value: 'ADA@example.com' }, holds: true },
  { filter: { field: 'email', operator: 'notEquals', value: 'ADA@example.com' }, holds: false },
  { filter: { field: 'email', operator: 'equals', value: 'ada' }, holds: false },
  { filter: { field: 'email', operator: 'in', value: ['x@y.test', 'Ada@Example.com'] }, holds: true },
  { filter: { field: 'email', operator: 'notIn', value: ['x@y.test'] }, holds: true },
  {
    filter: { field: 'email', operator: 'equals', value: ' Ada@exämple.com' },
    contact: { email: 'ada@xn--exmple-cua.com' },
    holds: true,
  },
  { filter: { field: 'email', operator: 'contains', value: '@EXAMPLE' }, holds: true },
  { filter: { field: 'email', operator: 'contains', value: 'a_a' }, holds: false },
  { filter: { field: 'email', operator: 'contains', value: 'a%' }, holds: false },
  { filter: { field: 'email', operator: 'notContains', value: '@gmail' }, holds: true },
  { filter: { field: 'email', operator: 'startsWith', value: 'ADA' }, holds: true },
  { filter: { field: 'email', operator: 'endsWith', value: '.Com' }, holds: true },
  { filter: { field: 'email', operator: 'endsWith', value: 'ada' }, holds: false },
  { filter: { field: 'subscribed', operator: 'equals', value: true }, holds: true },
  { filter: { field: 'subscribed', operator: 'equals', value: false }, holds: false },
  { filter: { field: 'subscribed', operator: 'notEquals', value: true }, contact: { subscribed: false }, holds: true },
  {
    filter: { field: 'subscribed', operator: 'notEquals', value: false },
    contact: { subscribed: false },
    holds: false,
  },
  { filter: { field: 'createdAt', operator: 'equals', value: '2030-06-10' }, holds: true },
  { filter: { field: 'createdAt', operator: 'notEquals', value: '2030-06-10' }, holds: false },
  { filter: { field: 'createdAt', operator: 'equals', value: '2030-06-10T10:30:00+02:00' }, holds: true },
  { filter: { field: 'createdAt', operator: 'greaterThan', value: '2030-06-10' }, holds: false },
  { filter: { field: 'createdAt', operator: 'greaterThanOrEqual', value: '2030-06-10' }, holds: true },
  { filter: { field: 'createdAt', operator: 'lessThan', value: '2030-06-10' }, holds: false },
  { filter: { field: 'createdAt', operator: 'lessThanOrEqual', value: '2030-06-10' }, holds: true },
  { filter: { field: 'createdAt', operator: 'greaterThan', value: '2030-06-10T08:29:59.999' }, holds: true },
  { filter: { field: 'createdAt', operator: 'within', value: 6, unit: 'days' }, holds: true },
  { filter: { field: 'createdAt', operator: 'within', value: 100, unit: 'hours' }, holds: false },
  { filter: { field: 'createdAt', operator: 'olderThan', value: 6000, unit: 'minutes' }, holds: true },
  { filter: { field: 'createdAt', operator: 'olderThan', value: 6, unit: 'days' }, holds: false },
  { filter: { field: 'data.a.b', operator: 'equals', value: 1 }, contact: { data: { a: { b: 1 } } }, holds: true },
  { filter: { field: 'data.a.b', operator: 'equals', value: 1 }, contact: { data: { 'a.b': 1 } }, holds: true },
  {
    filter: { field: 'data.a.b', operator: 'equals', value: 1 },
    contact: { data: { 'a.b': 2, a: { b: 1 } } },
    holds: false,
  },
  { filter: { field: 'data.a.b', operator: 'notExists' }, contact: { data: { a: [{ b: 1 }] } }, holds: true },
  { filter: { field: 'data.a.0', operator: 'exists' }, contact: { data: { a: ['x'] } }, holds: false },
  { filter: { field: 'data.a.b', operator: 'exists' }, contact: { data: { a: { b: null } } }, holds: false },
  { filter: { field: 'event.bought', operator: 'triggered' }, contact: hadAt(DAY_AGO), holds: true },
  { filter: { field: 'event.bought', operator: 'triggered' }, holds: false },
  { filter: { field: 'event.bought', operator: 'notTriggered' }, holds: true },
  { filter: { field: 'event.bought', operator: 'notTriggered' }, contact: hadAt(YEAR_AGO), holds: false },
  {
    filter: { field: 'event.bought', operator: 'triggeredWithin', value: 2, unit: 'days' },
    contact: hadAt(YEAR_AGO, DAY_AGO),
    holds: true,
  },
  {
    filter: { field: 'event.bought', operator: 'triggeredWithin', value: 2, unit: 'hours' },
    contact: hadAt(YEAR_AGO, DAY_AGO),
    holds: false,
  },
  {
    filter: { field: 'event.bought', operator: 'triggeredOlderThan', value: 2, unit: 'days' },
    contact: hadAt(YEAR_AGO, DAY_AGO),
    holds: true,
  },
  {
    filter: { field: 'event.bought', operator: 'triggeredOlderThan', value: 2, unit: 'days' },
    contact: hadAt(DAY_AGO),
    holds: false,
  },
  { filter: { field: 'event.bought', operator: 'triggeredOlderThan', value: 2, unit: 'days' }, holds: false },
  {
    filter: { field: 'event.bought', operator: 'notTriggeredWithin', value: 2, unit: 'days' },
    contact: hadAt(YEAR_AGO),
    holds: true,
  },
  {
    filter: { field: 'event.bought', operator: 'notTriggeredWithin', value: 2, unit: 'days' },
    contact: hadAt(YEAR_AGO, DAY_AGO),
    holds: false,
  },
  { filter: { field: 'event.bought', operator: 'notTriggeredWithin', value: 2, unit: 'days' }, holds: true },
  {
    filter: { field: 'email.opened', operator: 'triggered' },
    contact: { events: { 'email.opened': [DAY_AGO] } },
    holds: true,
  },
  {
    filter: { field: 'email.clicked', operator: 'notTriggered' },
    contact: { events: { 'email.opened': [DAY_AGO] } },
    holds: true,
  },
];

/** Returns a tree with one filter. */
export const treeOf = (filter: FieldTruth['filter']): ConditionTree => ({
  logic: 'AND',
  groups: [{ filters: [filter] }],
});
