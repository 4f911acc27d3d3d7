/**
 * A predicate over contacts: the normalized form of a condition tree.
 *
 * src/domain/conditions/lower.ts creates it: operators, units, and the current time are resolved, each test is positive
 * and either true or false, and `not` is the exact opposite. Two engines evaluate it:
 * src/domain/conditions/sql/conditions.ts in SQL and src/domain/conditions/evaluate.ts in memory.
 */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type Order = 'less' | 'lessOrEqual' | 'greater' | 'greaterOrEqual';

/** A half-open range of time with millisecond precision: `from` is included, `to` is not. */
export interface TimeRange {
  from?: Date;
  to?: Date;
}

/** A case-insensitive text test; `text` is folded (src/domain/conditions/text.ts). */
export interface TextTest {
  test: 'contains' | 'startsWith' | 'endsWith';
  text: string;
}

/**
 * A test of one value in a contact's data. A value of another type, null, and a missing value do not pass; only `oneOf`
 * can include null.
 */
export type DataTest =
  | TextTest
  | { test: 'exists' }
  | { test: 'oneOf'; values: JsonValue[] }
  | { test: 'number'; order: Order; than: number }
  | { test: 'string'; order: Order; than: string }
  | { test: 'time'; range: TimeRange }
  /** Within one of the UTC days that start then, or equal to one of the moments. */
  | { test: 'timeIn'; days: Date[]; moments: Date[] };

/** A test of the address. Stored addresses and the texts here are in lower case. */
export type EmailTest = TextTest | { test: 'oneOf'; values: string[] };

export type Predicate =
  | { kind: 'all'; of: Predicate[] }
  | { kind: 'any'; of: Predicate[] }
  | { kind: 'not'; of: Predicate }
  | { kind: 'email'; is: EmailTest }
  | { kind: 'subscribed' }
  | { kind: 'time'; of: 'createdAt' | 'updatedAt'; range: TimeRange }
  /** `path` is a key of the data, or keys of nested objects joined by dots. */
  | { kind: 'data'; path: string; is: DataTest }
  /** The contact has an event with that name, within the range if there is one. */
  | { kind: 'event'; name: string; range: TimeRange }
  /** Static segments only; a dynamic segment is replaced by its condition. */
  | { kind: 'member'; segmentId: string };
