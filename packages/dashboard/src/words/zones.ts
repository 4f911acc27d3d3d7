/** Conversion between instants and the time of day in a zone, also around changes of the clock. Pure. */
import { dateFormat } from './intl.js';

export interface ZonedTime {
  /** ISO, in UTC. */
  instant: string;
  /** `skipped` if the clock jumps over this time, so that a later one is meant; `repeated` if it occurs twice. */
  kind: 'exact' | 'skipped' | 'repeated';
}

const DAY_MS = 86_400_000;

/** Returns the time of day of an instant in a zone, as `datetime-local` writes it: `2026-11-24T09:00`. */
export const localOf = (instant: string | number, zone: string): string =>
  new Date(wallClock(new Date(instant).getTime(), zone)).toISOString().slice(0, 16);

/**
 * Returns the instant of a time of day in a zone; null if it is not a time. Of a time that occurs twice, it is the first
 * one. A time that the clock skips is moved by as much as the clock.
 */
export function instantOf(local: string, zone: string): ZonedTime | null {
  const wall = Date.parse(`${local}Z`);
  if (Number.isNaN(wall)) return null;
  // Clocks change at most once within two days.
  const [before, after] = [offsetAt(wall - DAY_MS, zone), offsetAt(wall + DAY_MS, zone)];
  const matches = [...new Set([wall - before, wall - after])].filter((at) => wallClock(at, zone) === wall);
  const first = matches.length === 0 ? wall - before : Math.min(...matches);
  const kind = matches.length === 0 ? 'skipped' : matches.length === 1 ? 'exact' : 'repeated';
  return { instant: new Date(first).toISOString(), kind };
}

/** Returns the first moment of a local day, as an ISO time. @param date `2026-11-23` */
export const startOfDay = (date: string, zone: string): string =>
  instantOf(`${date}T00:00`, zone)?.instant ?? new Date(date).toISOString();

/** Returns the first and the last moment of local days, both inclusive, as the API reads ranges of time. */
export function rangeOfDays(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  zone: string,
): { first?: string; last?: string } {
  const first = since === undefined ? undefined : instantOf(`${since}T00:00`, zone)?.instant;
  const afterLast = until === undefined ? undefined : instantOf(`${dayAfter(until)}T00:00`, zone)?.instant;
  return {
    ...(first !== undefined && { first }),
    ...(afterLast !== undefined && { last: new Date(Date.parse(afterLast) - 1).toISOString() }),
  };
}

function dayAfter(date: string): string {
  const at = Date.parse(date);
  return Number.isNaN(at) ? '' : new Date(at + DAY_MS).toISOString().slice(0, 10);
}

/** Returns the difference between the zone's clock and UTC at an instant, in milliseconds. */
const offsetAt = (at: number, zone: string): number => wallClock(at, zone) - Math.floor(at / 1000) * 1000;

/** Returns what the zone's clock shows at an instant, as if it were UTC. */
function wallClock(at: number, zone: string): number {
  const parts = dateFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const read = (name: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find(({ type }) => type === name)?.value ?? 0);
  return Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
}
