/** Ranges of UTC days for figures. */
import type { Days } from './sql/analytics.js';
import type { DayRange, TimeRange } from '../events/sql/days.js';
import { validationError } from '../../errors.js';

const DAY = 24 * 3600 * 1000;
/** Maximum number of days per response (contract, section 8). */
export const MAX_DAYS = 365;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const daysLater = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY);
const countDays = ({ first, last }: Days): number => Math.round((Date.parse(last) - Date.parse(first)) / DAY) + 1;

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

/** Returns the first day of the preceding range with the same number of days. */
export const daysBefore = (days: Days): string => daysLater(days.first, -countDays(days));
