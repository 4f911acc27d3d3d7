/** Reading `scheduledFor`. */
import { badRequest } from '../../errors.js';

const ISO_DATE = /^[+-]?\d{4,6}(-\d\d(-\d\d)?)?$/;
/** The zones that JavaScript's parser knows, and a sign behind a time, which it takes for an offset. */
const ZONE = /(?<![a-z])(z|utc?|gmt|[ecmp][sd]t)(?![a-z])|\d:\d\d.*[+-]\d/i;

/**
 * Whether a date that JavaScript can parse says which zone it is in. A date alone in ISO form is UTC (ECMA-262, "Date
 * Time String Format").
 */
const namesZone = (text: string): boolean => ISO_DATE.test(text) || ZONE.test(text.replace(/\([^)]*\)/g, ''));

/**
 * Reads a date as JavaScript's `Date` reads it, in UTC where it carries no zone (contract, section 5), whatever the
 * zone of this process.
 *
 * @returns null for what is no date
 */
export function parseDate(text: string): Date | null {
  const trimmed = text.trim();
  const local = new Date(trimmed);
  if (Number.isNaN(local.getTime())) return null;
  if (namesZone(trimmed)) return local;
  const iso = /^[+-]?\d{4,6}-\d\d-\d\dT/i.test(trimmed);
  const date = new Date(`${trimmed}${iso ? 'Z' : ' UTC'}`);
  return Number.isNaN(date.getTime()) ? local : date;
}

/**
 * When a campaign is to be sent; null for now.
 *
 * @throws BAD_REQUEST (400) for what is no date, a date in the past, or one after the year 9999
 */
export function readSchedule(scheduledFor: string | null | undefined): Date | null {
  if (scheduledFor === null || scheduledFor === undefined) return null;
  const date = parseDate(scheduledFor);
  if (!date)
    throw badRequest(
      'scheduledFor is not a date that can be read. Send an ISO 8601 timestamp, for example 2030-01-31T09:00:00Z.',
    );
  // Later ones have no ISO 8601 form of four-digit years, which is the form of all our timestamps.
  if (date.getUTCFullYear() > 9999) throw badRequest('scheduledFor must be before the year 10000.');
  if (date.getTime() <= Date.now()) throw badRequest('scheduledFor is in the past. Leave it out to send now.');
  return date;
}
