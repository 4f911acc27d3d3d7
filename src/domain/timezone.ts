/** Time zones of the IANA database. */
import type { Queryable } from '../db/pool.js';
import { sqlState } from '../db/errors.js';
import { validationError } from '../errors.js';

/**
 * Rejects text that is not the name of a time zone, such as `Europe/Berlin`. Offsets are rejected, because PostgreSQL reads
 * them with the opposite sign.
 *
 * @throws VALIDATION_ERROR (422, field `timezone`)
 */
export function requireTimezone(timezone: string): void {
  if (!isTimezone(timezone)) throw unknownTimezone();
}

const unknownTimezone = () =>
  validationError([
    { field: 'timezone', message: 'must be the name of a time zone, such as Europe/Berlin', code: 'invalid_string' },
  ]);

/**
 * Names that ICU adds to those of the IANA database. PostgreSQL does not know them, or reads them as other zones: BST is
 * Dhaka for ICU.
 */
const ONLY_ICU =
  /^(?:A[CEGRS]T|B[ES]T|C[ANST]T|CTT|EAT|ECT|I[ES]T|JST|MIT|N[ES]T|PLT|P[NRS]T|SST|VST|US\/Pacific-New|SystemV\/.*)$/i;

/** Names that are valid. There are fewer than 2,000, in any case of letters that clients use. */
const known = new Set<string>();
const MAX_KNOWN = 2000;

/** Whether the text is the name of a time zone. An import asks for each of its rows. */
export function isTimezone(timezone: string): boolean {
  if (known.has(timezone)) return true;
  if (!/^[A-Z][\w+-]*(?:\/[\w+-]+){0,2}$/i.test(timezone) || ONLY_ICU.test(timezone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions();
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
  if (known.size < MAX_KNOWN) known.add(timezone);
  return true;
}

let zones: { names: string[]; readAt: number } | null = null;
/** Names disappear only with an update of PostgreSQL. */
const ZONES_KEPT_MS = 3_600_000;

/** Returns the names that both PostgreSQL and JavaScript know, so that either can convert their times. */
export async function knownTimezones(db: Queryable): Promise<string[]> {
  if (zones === null || zones.readAt < Date.now() - ZONES_KEPT_MS) {
    // PostgreSQL reads a file for each name.
    const { rows } = await db.query<{ name: string }>(`SELECT name FROM pg_timezone_names ORDER BY name`);
    zones = { names: rows.map(({ name }) => name).filter(isTimezone), readAt: Date.now() };
  }
  return zones.names;
}

/**
 * Returns the name by which PostgreSQL knows a time zone. It reads names such as CET as abbreviations with a fixed distance
 * from UTC, which are an hour off in summer.
 */
export const zoneForDatabase = (timezone: string): string =>
  timezone.includes('/') ? timezone : new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;

/** Whether a time in ISO 8601 has a distance from UTC. */
export const hasOffset = (time: string): boolean => /(?:Z|[+-]\d\d:?\d\d)$/i.test(time);

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

/** Returns the local time of day of a moment: `09:00`. */
export const localTime = (moment: Date, timezone: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: timezone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    moment,
  );

/**
 * Returns the moment of a local time such as `2026-12-24T09:00`. PostgreSQL has the rule for changes of clocks, and no other
 * code has one: a time that does not exist is moved forward by the gap, and of a time that exists twice, the second counts.
 *
 * @throws VALIDATION_ERROR (422, field `timezone`)
 */
export async function momentOf(db: Queryable, local: string, timezone: string): Promise<Date> {
  requireTimezone(timezone);
  try {
    const { rows } = await db.query<{ at: Date }>({
      name: 'moment-of-local-time',
      text: `SELECT $1::timestamp AT TIME ZONE $2 AS at`,
      values: [local, zoneForDatabase(timezone)],
    });
    const [row] = rows;
    if (!row) throw new Error('The statement returned no row');
    return row.at;
  } catch (error) {
    if (sqlState(error) === INVALID_PARAMETER) throw unknownTimezone();
    throw error;
  }
}

/** The error of PostgreSQL for a zone that it does not know. */
const INVALID_PARAMETER = '22023';
