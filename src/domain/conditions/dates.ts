/** Dates in conditions: one form of them, read alike in filters and in contact data, here and by PostgreSQL's `iso_instant` (see the migration). Pure. */
import type { Order, TimeRange } from '../../db/predicate.js';

/** ISO 8601 with a four-digit year, `T` or a space before the time, and UTC where there is no zone. Further digits of the second are cut off. */
const ISO = /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?:Z|([+-])([0-9]{2}):([0-9]{2}))?)?$/;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The instant that a text names, a date alone being its midnight, in UTC; null when it is no date. */
export function readInstant(text: string): number | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [zoneHour, zoneMinute] = [part(9), part(10)];
  if (year === 0 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return null;
  const date = new Date(0);
  // Not Date.UTC, which takes years below 100 for those of the last century.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1) return null;
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const offset = (zoneHour * 60 + zoneMinute) * MINUTE * (match[8] === '-' ? -1 : 1);
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + ms - offset;
}

/** The time that a filter's value stands for: a date alone is that whole UTC day, anything else its millisecond. Null when it is no date. */
export function readStretch(text: string): Required<TimeRange> | null {
  const start = readInstant(text);
  if (start === null) return null;
  return { from: new Date(start), to: new Date(start + (text.length === 10 ? DAY : 1)) };
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

export const inRange = (ms: number, { from, to }: TimeRange): boolean => (!from || ms >= from.getTime()) && (!to || ms < to.getTime());

export const UNIT_MS = { minutes: MINUTE, hours: 60 * MINUTE, days: DAY } as const;
/** A hundred years: dates that both JavaScript and PostgreSQL have. */
export const LONGEST_AGO = 36_500 * DAY;
