/** Evaluates a predicate for one contact in memory, with the same results as sql/conditions.ts (see truth.ts). Pure. */
import type { DataTest, EmailTest, JsonValue, Order, Predicate, TextTest } from '../../db/predicate.js';
import { inOneOf, inRange, readInstant } from './dates.js';
import { compareText, foldCase } from './text.js';

/** The data of a contact, with at least the events and segments that the predicate names (see `factsNeeded`). */
export interface ContactFacts {
  /** In lower case. */
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  data: { [key: string]: JsonValue };
  /** The times of the first and the last event, by name. */
  events: ReadonlyMap<string, { first: Date; last: Date }>;
  /** The static segments of the contact. */
  segments: ReadonlySet<string>;
}

/** Returns the event names and the static segment ids in a predicate. */
export function factsNeeded(predicate: Predicate): { events: string[]; segments: string[] } {
  const events = new Set<string>();
  const segments = new Set<string>();
  const visit = (node: Predicate): void => {
    if (node.kind === 'event') events.add(node.name);
    if (node.kind === 'member') segments.add(node.segmentId);
    if (node.kind === 'not') visit(node.of);
    if (node.kind === 'all' || node.kind === 'any') node.of.forEach(visit);
  };
  visit(predicate);
  return { events: [...events], segments: [...segments] };
}

/** Returns the value at a path, or undefined if there is no such value. */
export type ReadValue = (path: string) => JsonValue | undefined;

/** @param readValue reads the paths of `data` predicates; by default from the contact's data */
export function holds(
  predicate: Predicate,
  facts: ContactFacts,
  readValue: ReadValue = (path) => valueAt(facts.data, path),
): boolean {
  switch (predicate.kind) {
    case 'all':
      return predicate.of.every((part) => holds(part, facts, readValue));
    case 'any':
      return predicate.of.some((part) => holds(part, facts, readValue));
    case 'not':
      return !holds(predicate.of, facts, readValue);
    case 'email':
      return emailPasses(predicate.is, facts.email);
    case 'subscribed':
      return facts.subscribed;
    case 'time':
      return inRange(facts[predicate.of].getTime(), predicate.range);
    case 'data':
      return dataPasses(predicate.is, readValue(predicate.path));
    case 'event': {
      const times = facts.events.get(predicate.name);
      const { from, to } = predicate.range;
      return times !== undefined && (!from || times.last >= from) && (!to || times.first < to);
    }
    case 'member':
      return facts.segments.has(predicate.segmentId);
  }
}

/** Returns the value at a path of the data: of the key that equals the whole path, otherwise of nested objects. */
export function valueAt(data: { [key: string]: JsonValue }, path: string): JsonValue | undefined {
  if (Object.hasOwn(data, path)) return data[path];
  let value: JsonValue | undefined = data;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = value[key];
  }
  return value;
}

const emailPasses = (is: EmailTest, email: string): boolean =>
  is.test === 'oneOf' ? is.values.includes(email) : textPasses(is, email);

function dataPasses(is: DataTest, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  switch (is.test) {
    case 'exists':
      return value !== null;
    case 'oneOf':
      return is.values.some((wanted) => isSame(wanted, value));
    case 'number':
      return typeof value === 'number' && isInOrder(is.order, value - is.than);
    case 'string':
      return typeof value === 'string' && isInOrder(is.order, compareText(value, is.than));
    case 'time':
      return isMoment(value, (ms) => inRange(ms, is.range));
    case 'timeIn':
      return isMoment(value, (ms) => inOneOf(is.days, is.moments)(ms));
    default:
      return typeof value === 'string' && textPasses(is, foldCase(value));
  }
}

/** Whether a value is a date that passes the test. */
function isMoment(value: JsonValue, passes: (ms: number) => boolean): boolean {
  const instant = typeof value === 'string' ? readInstant(value) : null;
  return instant !== null && passes(instant);
}

function textPasses({ test, text }: TextTest, folded: string): boolean {
  switch (test) {
    case 'contains':
      return folded.includes(text);
    case 'startsWith':
      return folded.startsWith(text);
    case 'endsWith':
      return folded.endsWith(text);
  }
}

function isInOrder(order: Order, difference: number): boolean {
  switch (order) {
    case 'less':
      return difference < 0;
    case 'lessOrEqual':
      return difference <= 0;
    case 'greater':
      return difference > 0;
    case 'greaterOrEqual':
      return difference >= 0;
  }
}

/** Compares JSON values like PostgreSQL's jsonb. */
function isSame(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => isSame(item, b[index] ?? null))
    );
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] ?? null, b[key] ?? null))
  );
}
