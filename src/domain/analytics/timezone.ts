/** Time zones of the IANA database. */
import { validationError } from '../../errors.js';

/**
 * Rejects text that is not the name of a time zone, such as `Europe/Berlin`. Offsets are rejected, because PostgreSQL reads
 * them with the opposite sign.
 *
 * @throws VALIDATION_ERROR (422, field `timezone`)
 */
export function requireTimezone(timezone: string): void {
  if (isTimezone(timezone)) return;
  throw validationError([
    { field: 'timezone', message: 'must be the name of a time zone, such as Europe/Berlin', code: 'invalid_string' },
  ]);
}

/** Names that are valid. There are fewer than 2,000, in any case of letters that clients use. */
const known = new Set<string>();
const MAX_KNOWN = 2000;

/** Whether the text is the name of a time zone. An import asks for each of its rows. */
export function isTimezone(timezone: string): boolean {
  if (known.has(timezone)) return true;
  if (!/^[A-Z][\w+-]*(?:\/[\w+-]+){0,2}$/i.test(timezone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions();
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
  if (known.size < MAX_KNOWN) known.add(timezone);
  return true;
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
