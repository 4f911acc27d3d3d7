/** Parses the moments of requests. */
import { badRequest } from '../../errors.js';

const ISO_DATE = /^[+-]?\d{4,6}(-\d\d(-\d\d)?)?$/;
/** The zone names that JavaScript's parser knows, and a sign after a time, which it parses as an offset. */
const ZONE = /(?<![a-z])(z|utc?|gmt|[ecmp][sd]t)(?![a-z])|\d:\d\d.*[+-]\d/i;

/** Whether a parsable date names its zone. A date alone in ISO form is UTC (ECMA-262, "Date Time String Format"). */
const namesZone = (text: string): boolean => ISO_DATE.test(text) || ZONE.test(text.replace(/\([^)]*\)/g, ''));

/**
 * Parses a date as JavaScript's `Date` does, in UTC if it names no zone (contract, section 5), independently of the
 * process's time zone.
 *
 * @returns null if the value is not a date
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
 * Returns when a campaign is due; null for now.
 *
 * @throws BAD_REQUEST (400) if the value is not a date, is in the past, or is after the year 9999
 */
export function readMoment(scheduledFor: string | null | undefined): Date | null {
  if (scheduledFor === null || scheduledFor === undefined) return null;
  const date = parseDate(scheduledFor);
  if (!date)
    throw badRequest(
      'scheduledFor is not a date that can be read. Send an ISO 8601 timestamp, for example 2030-01-31T09:00:00Z.',
    );
  // Later years do not fit the four-digit ISO 8601 format of all timestamps.
  if (date.getUTCFullYear() > 9999) throw badRequest('scheduledFor must be before the year 10000.');
  if (date.getTime() <= Date.now()) throw badRequest('scheduledFor is in the past. Leave it out to send now.');
  return date;
}
