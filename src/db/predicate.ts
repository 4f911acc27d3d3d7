/**
 * What can be asked of a contact: the form that a condition tree takes before it is answered.
 *
 * The domain makes it out of a tree (src/domain/conditions/lower.ts): operators, units and the present moment are gone,
 * every test is a positive one that is either true or false, and `not` is their exact opposite. Two engines answer it:
 * src/domain/conditions/sql/conditions.ts in SQL and src/domain/conditions/evaluate.ts in memory.
 */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type Order = 'less' | 'lessOrEqual' | 'greater' | 'greaterOrEqual';

/** A half-open stretch of time, in steps of a millisecond: `from` belongs to it, `to` does not. */
export interface TimeRange {
  from?: Date;
  to?: Date;
}

/** A test of texts in any case; `text` is folded (src/domain/conditions/text.ts). */
export interface TextTest {
  test: 'contains' | 'startsWith' | 'endsWith';
  text: string;
}

/**
 * A test of one value of a contact's data. A value of another kind than the test's, null and a missing one don't pass;
 * only `oneOf` can name null.
 */
export type DataTest =
  | TextTest
  | { test: 'exists' }
  | { test: 'oneOf'; values: JsonValue[] }
  | { test: 'number'; order: Order; than: number }
  | { test: 'string'; order: Order; than: string }
  | { test: 'time'; range: TimeRange }
  /** In one of the UTC days that begin then, or in one of the milliseconds. */
  | { test: 'timeIn'; days: Date[]; moments: Date[] };

/** A test of the address, which is stored in lower case; so are the texts here. */
export type EmailTest = TextTest | { test: 'oneOf'; values: string[] };

export type Predicate =
  | { kind: 'all'; of: Predicate[] }
  | { kind: 'any'; of: Predicate[] }
  | { kind: 'not'; of: Predicate }
  | { kind: 'email'; is: EmailTest }
  | { kind: 'subscribed' }
  | { kind: 'time'; of: 'createdAt' | 'updatedAt'; range: TimeRange }
  /** `path` is a key of the data, or else keys of nested objects, joined by dots. */
  | { kind: 'data'; path: string; is: DataTest }
  /** An event of that name has happened to the contact, within the range if there is one. */
  | { kind: 'event'; name: string; range: TimeRange }
  /** Of a static segment; a dynamic one is replaced by its own condition. */
  | { kind: 'member'; segmentId: string };
