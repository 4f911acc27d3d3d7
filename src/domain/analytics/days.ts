/** Ranges of UTC days for figures. */
import type { Days } from './sql/analytics.js';
import { localDay } from '../timezone.js';
import type { DayRange, TimeRange } from '../events/sql/days.js';
import { validationError } from '../../errors.js';

const DAY = 24 * 3600 * 1000;
/** Maximum number of days per response (contract, section 8). */
export const MAX_DAYS = 365;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const daysLater = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY);
export const countDays = ({ first, last }: Days): number =>
  Math.round((Date.parse(last) - Date.parse(first)) / DAY) + 1;

/** Returns the days that overlap a range of time. */
export const daysTouched = ({ from, until }: TimeRange): DayRange => ({
  ...(from && { first: dayOf(from.getTime()) }),
  ...(until && { last: dayOf(until.getTime() - 1) }),
});

export interface DaysAsked extends TimeRange {
  /** The number of days if no start is given. */
  days: number;
}

/**
 * Returns the days from a start to an end. The default end is today; the default start is `days` days before the end.
 *
 * @throws VALIDATION_ERROR (422) if the end is before the start, or for more than 365 days
 */
export function readDays({ days, ...range }: DaysAsked, now = Date.now()): Days {
  const touched = daysTouched(range);
  const last = touched.last ?? dayOf(now);
  const read = { first: touched.first ?? daysLater(last, 1 - days), last };
  if (read.first > last)
    throw validationError([
      { field: 'startDate', message: `must not be after ${touched.last ? 'endDate' : 'today'}`, code: 'custom' },
    ]);
  if (countDays(read) > MAX_DAYS)
    throw validationError([
      {
        field: 'startDate',
        message: `must be at most ${MAX_DAYS} days before ${touched.last ? 'endDate' : 'today'}, both of them counted`,
        code: 'too_big',
      },
    ]);
  return read;
}

/** A range of local days, as texts of a request: dates, or timestamps. */
export interface LocalDaysAsked {
  startDate?: string;
  endDate?: string;
  days: number;
  timezone: string;
}

/**
 * Returns the days from a start to an end in a time zone, with the defaults and errors of `readDays`. A date is that local
 * day, and a timestamp is in its local day.
 */
export function readLocalDays({ startDate, endDate, days, timezone }: LocalDaysAsked, now = Date.now()): Days {
  const dayIn = (text: string): string =>
    /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : localDay(Date.parse(text), timezone);
  const from = startDate === undefined ? undefined : new Date(dayIn(startDate));
  const lastDay = endDate === undefined ? localDay(now, timezone) : dayIn(endDate);
  return readDays({ days, from, until: new Date(Date.parse(lastDay) + DAY) });
}

/** Returns the preceding range with the same number of days. */
export const previousDays = (days: Days): Days => ({ first: daysBefore(days), last: daysLater(days.first, -1) });

/** Returns the first day of the preceding range with the same number of days. */
export const daysBefore = (days: Days): string => daysLater(days.first, -countDays(days));
