/**
 * Dates in conditions: one form of them, read alike in filters and in contact data, here and by PostgreSQL's
 * `iso_instant` (see the migration). Pure.
 */
import type { Order, TimeRange } from '../../db/predicate.js';

/** ISO 8601 with a four-digit year, `T` or a space before the time, and UTC where there is no zone. */
const ISO =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$/;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The two digits at a place. */
const twoAt = (text: string, at: number): number => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;

/**
 * The instant that a text names, a date alone being its midnight, in UTC; null when it is no date. Further digits of
 * the second than three are cut off.
 *
 * Written for millions of texts: all but the zone has its fixed place.
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

/** Date.UTC takes years below 100 for those of the last century; four hundred years are always as many days. */
const midnightOf = (year: number, month: number, day: number): number =>
  year < 100 ? Date.UTC(year + 400, month - 1, day) - 146_097 * DAY : Date.UTC(year, month - 1, day);

/** Of a time's zone, in milliseconds; 0 without one. Null when there is no such zone. */
function offsetOf(text: string): number | null {
  const sign = text.charAt(text.length - 6);
  if (sign !== '+' && sign !== '-') return 0;
  const [hour, minute] = [twoAt(text, text.length - 5), twoAt(text, text.length - 2)];
  if (hour > 23 || minute > 59) return null;
  return (hour * 60 + minute) * MINUTE * (sign === '-' ? -1 : 1);
}

/**
 * The time that a filter's value stands for: a date alone is that whole UTC day, anything else its millisecond. Null
 * when it is no date.
 */
export function readStretch(text: string): Required<TimeRange> | null {
  const start = readInstant(text);
  if (start === null) return null;
  return { from: new Date(start), to: new Date(start + (text.length === 10 ? DAY : 1)) };
}

/** Whether a stretch is a whole UTC day. */
export const isDay = ({ from, to }: Required<TimeRange>): boolean => to.getTime() - from.getTime() === DAY;

/** Makes the test of whether a moment lies in one of the UTC days that begin at `days`, or is one of `moments`. */
export function inOneOf(days: readonly Date[], moments: readonly Date[]): (ms: number) => boolean {
  const [beginnings, exact] = [new Set(days.map(Number)), new Set(moments.map(Number))];
  return (ms) => exact.has(ms) || beginnings.has(Math.floor(ms / DAY) * DAY);
}

/** What lies before, after or in a stretch. */
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
/** A hundred years: dates that both JavaScript and PostgreSQL have. */
export const LONGEST_AGO = 36_500 * DAY;
