/** One filter: its validation, and its meaning as a predicate. truth.ts documents the operators. Pure. */
import type { DataTest, EmailTest, JsonValue, Order, Predicate, TimeRange } from '../../db/predicate.js';
import type { FieldError } from '../../errors.js';
import { normalizeAddress } from '../../address.js';
import { isDay, MAX_AGO_MS, rangeOf, readDateRange, UNIT_MS } from './dates.js';
import { foldCase } from './text.js';
import {
  MAX_LIST,
  MAX_PATH,
  OPERATORS_OF,
  readSubject,
  UNITS,
  type Operator,
  type Subject,
  type Unit,
} from './tree.js';

/** A filter before validation. */
export interface RawFilter {
  field?: unknown;
  operator?: unknown;
  value?: unknown;
  unit?: unknown;
}

/** An error in a part of a filter. */
export class FilterProblem extends Error {
  constructor(
    readonly part: 'field' | 'operator' | 'value' | 'unit',
    readonly code: FieldError['code'],
    message: string,
  ) {
    super(message);
    this.name = 'FilterProblem';
  }
}

/** The question of a filter. A segment is only named: the caller looks up whether it is static. */
export type Asked = Exclude<Predicate, { kind: 'all' | 'any' | 'not' | 'member' }> | { kind: 'segment'; id: string };

/** The questions of a filter, and whether the filter matches if none of them does. */
export interface ReadFilter {
  asks: Asked | Asked[];
  negated: boolean;
}

/**
 * Parses a filter; `now` is the end of periods such as `within`. Several questions are alternatives.
 *
 * @throws FilterProblem with the invalid part
 */
export function readFilter(filter: RawFilter, now: Date): ReadFilter {
  const { field } = filter;
  if (typeof field !== 'string')
    throw problem('field', field === undefined ? 'required' : 'invalid_type', 'must be the name of a field');
  const subject = readSubject(field);
  if (!subject) {
    throw problem(
      'field',
      'invalid_string',
      'is not a field: use email, subscribed, createdAt, updatedAt, data.<path>, event.<name>, ' +
        'email.sent|delivered|opened|clicked|bounced|complained, or segment.<id>',
    );
  }
  if (subject.kind === 'data' && subject.path.split('.').length > MAX_PATH)
    throw problem('field', 'too_big', `must have a path of at most ${MAX_PATH} keys`);
  const operator = readOperator(filter.operator, subject);
  // A unit must be valid even if the operator ignores it.
  if (filter.unit !== undefined && filter.unit !== null) readUnit(filter.unit);
  return readBySubject(subject, operator, filter, now);
}

function readOperator(operator: unknown, subject: Subject): Operator {
  const allowed = OPERATORS_OF[subject.kind];
  const found = allowed.find((name) => name === operator);
  if (found !== undefined) return found;
  const code = operator === undefined ? 'required' : typeof operator === 'string' ? 'invalid_string' : 'invalid_type';
  throw problem('operator', code, `must be one of ${allowed.join(', ')} for this field`);
}

function readBySubject(subject: Subject, operator: Operator, filter: RawFilter, now: Date): ReadFilter {
  switch (subject.kind) {
    case 'email':
      return readEmailFilter(operator, filter);
    case 'subscribed':
      if (typeof filter.value !== 'boolean') throw mistyped(filter.value, 'true or false');
      return { asks: { kind: 'subscribed' }, negated: filter.value === (operator === 'notEquals') };
    case 'date':
      return readDateFilter(subject.of, operator, filter, now);
    case 'data':
      return readDataFilter(subject.path, operator, filter, now);
    case 'event':
      return readEventFilter(subject.name, operator, filter, now);
    case 'segment':
      return { asks: subject, negated: operator === 'notMemberOfSegment' };
  }
}

const NEGATIVE: readonly Operator[] = [
  'notEquals',
  'notContains',
  'notIn',
  'notExists',
  'notTriggered',
  'notTriggeredWithin',
];
const isNegative = (operator: Operator): boolean => NEGATIVE.includes(operator);

function readEmailFilter(operator: Operator, { value }: RawFilter): ReadFilter {
  const test = (is: EmailTest): ReadFilter => ({ asks: { kind: 'email', is }, negated: isNegative(operator) });
  switch (operator) {
    case 'equals':
    case 'notEquals':
      return test({ test: 'oneOf', values: [readAddress(value)] });
    case 'in':
    case 'notIn':
      return test({ test: 'oneOf', values: readList(value).map(readAddress) });
    default:
      return test(readTextTest(operator, value));
  }
}

const readAddress = (value: unknown): string => {
  if (typeof value !== 'string') throw mistyped(value, 'text');
  return normalizeAddress(value);
};

function readDateFilter(of: 'createdAt' | 'updatedAt', operator: Operator, filter: RawFilter, now: Date): ReadFilter {
  const test = (range: TimeRange): ReadFilter => ({ asks: { kind: 'time', of, range }, negated: isNegative(operator) });
  if (operator === 'within') return test({ from: readAgo(filter, now) });
  if (operator === 'olderThan') return test({ to: readAgo(filter, now) });
  const range = typeof filter.value === 'string' ? readDateRange(filter.value) : null;
  if (!range) throw mistyped(filter.value, 'a date in ISO 8601, such as 2030-01-31 or 2030-01-31T09:00:00Z');
  const order = orderOf(operator);
  return test(order ? rangeOf(order, range) : range);
}

function readDataFilter(path: string, operator: Operator, filter: RawFilter, now: Date): ReadFilter {
  const { value } = filter;
  const question = (is: DataTest): Asked => ({ kind: 'data', path, is });
  const test = (is: DataTest): ReadFilter => ({ asks: question(is), negated: isNegative(operator) });
  switch (operator) {
    case 'exists':
    case 'notExists':
      return test({ test: 'exists' });
    case 'within':
      // Future dates do not match.
      return test({ test: 'time', range: { from: readAgo(filter, now), to: new Date(now.getTime() + 1) } });
    case 'olderThan':
      return test({ test: 'time', range: { to: readAgo(filter, now) } });
    case 'equals':
    case 'notEquals':
      // JSON would store an infinite number as null.
      if (value === undefined || (typeof value === 'number' && !Number.isFinite(value)))
        throw mistyped(value, 'a value');
      return { asks: equalToOneOf([value as JsonValue]).map(question), negated: isNegative(operator) };
    case 'in':
    case 'notIn':
      return { asks: equalToOneOf(readList(value) as JsonValue[]).map(question), negated: isNegative(operator) };
    default: {
      const order = orderOf(operator);
      return test(order ? readComparison(order, value) : readTextTest(operator, value));
    }
  }
}

/** Returns tests for equality with one of the values. Dates equal dates of the same time; other values are exact. */
function equalToOneOf(values: JsonValue[]): DataTest[] {
  const ranges = values.map((value) => (typeof value === 'string' ? readDateRange(value) : null));
  const exact = values.filter((_, index) => !ranges[index]);
  return [
    ...(exact.length > 0 || values.length === 0 ? [{ test: 'oneOf' as const, values: exact }] : []),
    ...dateTests(ranges.filter((range) => range !== null)),
  ];
}

/** Combines many dates in one test: PostgreSQL takes seconds to plan a thousand alternatives. */
function dateTests(ranges: Array<Required<TimeRange>>): DataTest[] {
  const [first] = ranges;
  if (!first) return [];
  if (ranges.length === 1) return [{ test: 'time', range: first }];
  const startOf = ({ from }: Required<TimeRange>): Date => from;
  return [
    {
      test: 'timeIn',
      days: ranges.filter(isDay).map(startOf),
      moments: ranges.filter((range) => !isDay(range)).map(startOf),
    },
  ];
}

function readComparison(order: Order, value: unknown): DataTest {
  // JavaScript parses very large numbers as infinity.
  if (typeof value === 'number' && Number.isFinite(value)) return { test: 'number', order, than: value };
  if (typeof value !== 'string') throw mistyped(value, 'a number or a text');
  const range = readDateRange(value);
  return range ? { test: 'time', range: rangeOf(order, range) } : { test: 'string', order, than: value };
}

function readEventFilter(name: string, operator: Operator, filter: RawFilter, now: Date): ReadFilter {
  const test = (range: TimeRange): ReadFilter => ({
    asks: { kind: 'event', name, range },
    negated: isNegative(operator),
  });
  if (operator === 'triggered' || operator === 'notTriggered') return test({});
  const ago = readAgo(filter, now);
  return test(operator === 'triggeredOlderThan' ? { to: ago } : { from: ago });
}

function readTextTest(operator: Operator, value: unknown): EmailTest & DataTest {
  if (typeof value !== 'string') throw mistyped(value, 'text');
  if (value === '') throw problem('value', 'too_small', 'must not be empty');
  const text = foldCase(value);
  if (operator === 'startsWith' || operator === 'endsWith') return { test: operator, text };
  return { test: 'contains', text };
}

function readList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw mistyped(value, 'a list');
  if (value.length > MAX_LIST) throw problem('value', 'too_big', `must have at most ${MAX_LIST} entries`);
  return value;
}

/** Returns the time `value` `unit`s before now. */
function readAgo({ value, unit }: RawFilter, now: Date): Date {
  if (typeof value !== 'number') throw mistyped(value, 'a number');
  if (value <= 0) throw problem('value', 'too_small', 'must be more than 0');
  const ms = value * UNIT_MS[readUnit(unit)];
  if (ms > MAX_AGO_MS) throw problem('value', 'too_big', 'must not be more than a hundred years');
  return new Date(now.getTime() - ms);
}

function readUnit(unit: unknown): Unit {
  const known = UNITS.find((name) => name === unit);
  if (known !== undefined) return known;
  const code =
    unit === undefined || unit === null ? 'required' : typeof unit === 'string' ? 'invalid_string' : 'invalid_type';
  throw problem('unit', code, `must be one of ${UNITS.join(', ')}`);
}

function orderOf(operator: Operator): Order | null {
  switch (operator) {
    case 'greaterThan':
      return 'greater';
    case 'greaterThanOrEqual':
      return 'greaterOrEqual';
    case 'lessThan':
      return 'less';
    case 'lessThanOrEqual':
      return 'lessOrEqual';
    default:
      return null;
  }
}

const problem = (part: FilterProblem['part'], code: FieldError['code'], message: string): FilterProblem =>
  new FilterProblem(part, code, message);

/** The message of a missing field starts with "Required", as everywhere in the API. */
const mistyped = (value: unknown, wanted: string): FilterProblem =>
  value === undefined
    ? problem('value', 'required', `Required: ${wanted}`)
    : problem('value', 'invalid_type', `must be ${wanted}`);
