/** Time zones of the IANA database. */
import { validationError } from '../../errors.js';

/**
 * Rejects text that is not the name of a time zone, such as `Europe/Berlin`. Offsets are rejected, because PostgreSQL reads
 * them with the opposite sign.
 *
 * @throws VALIDATION_ERROR (422, field `timezone`)
 */
export function requireTimezone(timezone: string): void {
  if (/^[A-Z][\w+-]*(?:\/[\w+-]+){0,2}$/i.test(timezone) && isKnown(timezone)) return;
  throw validationError([
    { field: 'timezone', message: 'must be the name of a time zone, such as Europe/Berlin', code: 'invalid_string' },
  ]);
}

function isKnown(timezone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns the local day of a moment: `2026-03-10`. */
export function localDay(time: number, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}
