/** One filter: what it may say, and what it asks. The meaning of each operator is documented in truth.ts. Pure. */
import type { DataTest, EmailTest, JsonValue, Order, Predicate, TimeRange } from '../../db/predicate.js';
import type { FieldError } from '../../errors.js';
import { normalizeAddress } from '../contacts/address.js';
import { isDay, LONGEST_AGO, rangeOf, readStretch, UNIT_MS } from './dates.js';
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

/** A filter as it comes, before anything is known about it. */
export interface RawFilter {
  field?: unknown;
  operator?: unknown;
  value?: unknown;
  unit?: unknown;
}

/** A filter that breaks a rule; `part` is what of it. */
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

/** What a filter asks; a segment is named, since whether it is static is for the caller to look up. */
export type Asked = Exclude<Predicate, { kind: 'all' | 'any' | 'not' | 'member' }> | { kind: 'segment'; id: string };

/** A question, and whether it is the opposite of the answer that the filter wants. */
export interface ReadFilter {
  asks: Asked | Asked[];
  negated: boolean;
}

/**
 * Reads a filter as of `now`. Several questions are alternatives.
 *
 * @throws FilterProblem naming the part of it that breaks a rule
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
      'is no field: use email, subscribed, createdAt, updatedAt, data.<path>, event.<name>, email.sent|delivered|opened|clicked|bounced|complained or segment.<id>',
    );
  }
  if (subject.kind === 'data' && subject.path.split('.').length > MAX_PATH)
    throw problem('field', 'too_big', `must name at most ${MAX_PATH} keys, one in another`);
  const operator = readOperator(filter.operator, subject);
  // A unit that nothing asks for must still be one.
  if (filter.unit !== undefined && filter.unit !== null) readUnit(filter.unit);
  return ask(subject, operator, filter, now);
}

function readOperator(operator: unknown, subject: Subject): Operator {
  const allowed = OPERATORS_OF[subject.kind];
  const found = allowed.find((name) => name === operator);
  if (found !== undefined) return found;
  const code = operator === undefined ? 'required' : typeof operator === 'string' ? 'invalid_string' : 'invalid_type';
  throw problem('operator', code, `must be one of ${allowed.join(', ')} for this field`);
}

function ask(subject: Subject, operator: Operator, filter: RawFilter, now: Date): ReadFilter {
  switch (subject.kind) {
    case 'email':
      return askEmail(operator, filter);
    case 'subscribed':
      if (typeof filter.value !== 'boolean') throw mistyped(filter.value, 'true or false');
      return { asks: { kind: 'subscribed' }, negated: filter.value === (operator === 'notEquals') };
    case 'date':
      return askDate(subject.of, operator, filter, now);
    case 'data':
      return askData(subject.path, operator, filter, now);
    case 'event':
      return askEvent(subject.name, operator, filter, now);
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

function askEmail(operator: Operator, { value }: RawFilter): ReadFilter {
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

function askDate(of: 'createdAt' | 'updatedAt', operator: Operator, filter: RawFilter, now: Date): ReadFilter {
  const test = (range: TimeRange): ReadFilter => ({ asks: { kind: 'time', of, range }, negated: isNegative(operator) });
  if (operator === 'within') return test({ from: readAgo(filter, now) });
  if (operator === 'olderThan') return test({ to: readAgo(filter, now) });
  const stretch = typeof filter.value === 'string' ? readStretch(filter.value) : null;
  if (!stretch) throw mistyped(filter.value, 'a date in ISO 8601, such as 2030-01-31 or 2030-01-31T09:00:00Z');
  const order = orderOf(operator);
  return test(order ? rangeOf(order, stretch) : stretch);
}

function askData(path: string, operator: Operator, filter: RawFilter, now: Date): ReadFilter {
  const { value } = filter;
  const question = (is: DataTest): Asked => ({ kind: 'data', path, is });
  const test = (is: DataTest): ReadFilter => ({ asks: question(is), negated: isNegative(operator) });
  switch (operator) {
    case 'exists':
    case 'notExists':
      return test({ test: 'exists' });
    case 'within':
      // A date in the data may lie in the future, which is not within the last days.
      return test({ test: 'time', range: { from: readAgo(filter, now), to: new Date(now.getTime() + 1) } });
    case 'olderThan':
      return test({ test: 'time', range: { to: readAgo(filter, now) } });
    case 'equals':
    case 'notEquals':
      // As in a comparison: stored, it would become null.
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

/** Equality with each of the values: dates are equal to dates, everything else is equal to what it is. */
function equalToOneOf(values: JsonValue[]): DataTest[] {
  const stretches = values.map((value) => (typeof value === 'string' ? readStretch(value) : null));
  const exact = values.filter((_, index) => !stretches[index]);
  return [
    ...(exact.length > 0 || values.length === 0 ? [{ test: 'oneOf' as const, values: exact }] : []),
    ...dateTests(stretches.filter((stretch) => stretch !== null)),
  ];
}

/** One question for many dates: PostgreSQL takes seconds to plan some thousand alternatives. */
function dateTests(stretches: Array<Required<TimeRange>>): DataTest[] {
  const [first] = stretches;
  if (!first) return [];
  if (stretches.length === 1) return [{ test: 'time', range: first }];
  const begins = ({ from }: Required<TimeRange>): Date => from;
  return [
    {
      test: 'timeIn',
      days: stretches.filter(isDay).map(begins),
      moments: stretches.filter((stretch) => !isDay(stretch)).map(begins),
    },
  ];
}

function readComparison(order: Order, value: unknown): DataTest {
  // JSON has no infinity, but numbers that JavaScript reads as one.
  if (typeof value === 'number' && Number.isFinite(value)) return { test: 'number', order, than: value };
  if (typeof value !== 'string') throw mistyped(value, 'a number or a text');
  const stretch = readStretch(value);
  return stretch ? { test: 'time', range: rangeOf(order, stretch) } : { test: 'string', order, than: value };
}

function askEvent(name: string, operator: Operator, filter: RawFilter, now: Date): ReadFilter {
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

/** The moment that lies `value` `unit`s before now. */
function readAgo({ value, unit }: RawFilter, now: Date): Date {
  if (typeof value !== 'number') throw mistyped(value, 'a number');
  if (value <= 0) throw problem('value', 'too_small', 'must be more than 0');
  const ms = value * UNIT_MS[readUnit(unit)];
  if (ms > LONGEST_AGO) throw problem('value', 'too_big', 'must not be more than a hundred years');
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

/** The text "Required" is that of every missing field of a request. */
const mistyped = (value: unknown, wanted: string): FilterProblem =>
  value === undefined
    ? problem('value', 'required', `Required: ${wanted}`)
    : problem('value', 'invalid_type', `must be ${wanted}`);
