/**
 * Dates in conditions. Filters and contact data use the same format, which this file and the SQL function `iso_instant`
 * (src/db/functions) parse alike. Pure.
 */
import type { Order, TimeRange } from '../../db/predicate.js';

/** ISO 8601 with a four-digit year, `T` or a space before the time, and UTC as the default zone. */
const ISO =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$/;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Parses the two digits at an index. */
const twoAt = (text: string, at: number): number => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;

/**
 * Returns the instant of a date in milliseconds since 1970, or null if the text is not a date. A date without a time is
 * its midnight in UTC. Fractions of a second are truncated to milliseconds.
 *
 * Written for millions of texts: everything except the zone has a fixed index.
 */
export function readInstant(text: string): number | null {
  if (text.charCodeAt(4) !== 45 || !ISO.test(text)) return null;
  const year = twoAt(text, 0) * 100 + twoAt(text, 2);
  const [month, day] = [twoAt(text, 5), twoAt(text, 8)];
  if (year === 0 || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return null;
  const midnight = midnightOf(year, month, day);
  if (text.length === 10) return midnight;

  const hasSeconds = text.charAt(16) === ':';
  const [hour, minute, second] = [twoAt(text, 11), twoAt(text, 14), hasSeconds ? twoAt(text, 17) : 0];
  if (hour > 23 || minute > 59 || second > 59) return null;
  const fraction = text.charAt(19) === '.' && hasSeconds ? /^[0-9]{1,3}/.exec(text.slice(20, 23))?.[0] : undefined;
  const ms = fraction === undefined ? 0 : Number(fraction.padEnd(3, '0'));
  const offset = offsetOf(text);
  return offset === null ? null : midnight + ((hour * 60 + minute) * 60 + second) * 1000 + ms - offset;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const daysOf = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0));

/** Date.UTC adds 1900 to years below 100. Four hundred years always have the same number of days. */
const midnightOf = (year: number, month: number, day: number): number =>
  year < 100 ? Date.UTC(year + 400, month - 1, day) - 146_097 * DAY : Date.UTC(year, month - 1, day);

/** Returns the zone offset of a time in milliseconds: 0 without a zone, null for an invalid zone. */
function offsetOf(text: string): number | null {
  const sign = text.charAt(text.length - 6);
  if (sign !== '+' && sign !== '-') return 0;
  const [hour, minute] = [twoAt(text, text.length - 5), twoAt(text, text.length - 2)];
  if (hour > 23 || minute > 59) return null;
  return (hour * 60 + minute) * MINUTE * (sign === '-' ? -1 : 1);
}

/**
 * Returns the time range of a filter's value: the whole UTC day of a date without a time, otherwise one millisecond.
 * Returns null if the text is not a date.
 */
export function readDateRange(text: string): Required<TimeRange> | null {
  const start = readInstant(text);
  if (start === null) return null;
  return { from: new Date(start), to: new Date(start + (text.length === 10 ? DAY : 1)) };
}

/** Whether a range is a whole UTC day. */
export const isDay = ({ from, to }: Required<TimeRange>): boolean => to.getTime() - from.getTime() === DAY;

/** Returns a test for instants in the UTC days that start at `days`, or equal to one of `moments`. */
export function inOneOf(days: readonly Date[], moments: readonly Date[]): (ms: number) => boolean {
  const [midnights, exact] = [new Set(days.map(Number)), new Set(moments.map(Number))];
  return (ms) => exact.has(ms) || midnights.has(Math.floor(ms / DAY) * DAY);
}

/** Returns the range of instants that compare with a range in this order. */
export function rangeOf(order: Order, { from, to }: Required<TimeRange>): TimeRange {
  switch (order) {
    case 'less':
      return { to: from };
    case 'lessOrEqual':
      return { to };
    case 'greater':
      return { from: to };
    case 'greaterOrEqual':
      return { from };
  }
}

export const inRange = (ms: number, { from, to }: TimeRange): boolean =>
  (!from || ms >= from.getTime()) && (!to || ms < to.getTime());

export const UNIT_MS = { minutes: MINUTE, hours: 60 * MINUTE, days: DAY } as const;
/** A hundred years, so that JavaScript and PostgreSQL can both represent the result. */
export const MAX_AGO_MS = 36_500 * DAY;
