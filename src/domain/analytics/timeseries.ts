/** `GET /analytics/timeseries` and `GET /analytics/contacts`: figures by hours and days of a time zone. */
import type { Context } from '../../context.js';
import { validationError } from '../../errors.js';
import { countDays, previousDays, readLocalDays, type LocalDaysAsked } from './days.js';
import { selectDays, type Days } from './sql/analytics.js';
import { selectContactDays, type ContactDay } from './sql/contact-days.js';
import {
  selectEmailFigures,
  selectTopKeys,
  type Bucket,
  type Dimension,
  type EmailFigures,
} from './sql/email-figures.js';
import { selectGroupNames } from './sql/group-names.js';
import { requireTimezone } from '../timezone.js';

/** Days per response with interval=hour. */
export const MAX_HOURLY_DAYS = 31;
/** Groups per response. */
export const MAX_GROUPS = 10;

export interface TimeseriesAsked extends LocalDaysAsked {
  interval: 'hour' | 'day';
  groupBy?: Dimension;
  compare?: 'previous';
}

/** A group of emails. The key is null for the emails that are in none of the other groups of the response. */
export interface Group {
  key: string | null;
  /** The name of a campaign, template, or workflow that exists; otherwise the key. */
  name: string | null;
}

export interface Point extends EmailFigures {
  /** The start of the interval. */
  at: Date;
  /** The local day of `at`. */
  date: string;
  group: Group | null;
  /** The figures of the same interval in the preceding period of the same length. */
  previous: EmailFigures | null;
}

/**
 * Returns email figures by the time of the delivery, opening, and so on, even if it was reported later, oldest first. Each
 * email counts once per column.
 *
 * With `groupBy`, each interval has an entry per group: the groups with the most emails sent in the range, and one for all
 * other emails.
 *
 * @throws VALIDATION_ERROR (422) if the start is after the end, for more than 365 days or 31 days of hours, or for an
 * unknown time zone
 */
export async function timeseries(
  ctx: Context,
  projectId: string,
  { interval, groupBy, compare, ...asked }: TimeseriesAsked,
): Promise<Point[]> {
  requireTimezone(asked.timezone);
  const days = readLocalDays(asked);
  if (interval === 'hour' && countDays(days) > MAX_HOURLY_DAYS)
    throw validationError([
      { field: 'startDate', message: `must be at most ${MAX_HOURLY_DAYS} days before the end`, code: 'too_big' },
    ]);
  const keys = groupBy ? await selectTopKeys(ctx.pool, projectId, days, { dimension: groupBy, limit: MAX_GROUPS }) : [];
  const select = (range: Days) =>
    selectGroups(ctx, projectId, range, { timezone: asked.timezone, interval, groupBy, keys });
  const [current, previous, names] = await Promise.all([
    select(days),
    compare ? select(previousDays(days)) : null,
    groupBy ? selectGroupNames(ctx.pool, projectId, { dimension: groupBy, keys }) : new Map<string, string>(),
  ]);
  const groupOf = (key: string | null): Group | null =>
    groupBy ? { key, name: key === null ? null : (names.get(key) ?? key) } : null;
  // Days and hours are paired by position: a period can have an hour more or less because of daylight saving time.
  return current.map(({ key, ...point }, index) => ({
    ...point,
    group: groupOf(key),
    previous: previous ? figuresOf(previous[index]) : null,
  }));
}

interface GroupedBucket extends Omit<Bucket, 'key'> {
  key: string | null;
}

interface Selection {
  timezone: string;
  interval: 'hour' | 'day';
  groupBy?: Dimension;
  keys: readonly string[];
}

/** Returns the figures of each interval: in total, or of each key and of all other emails. */
async function selectGroups(
  { pool }: Context,
  projectId: string,
  days: Days,
  { timezone, interval, groupBy, keys }: Selection,
): Promise<GroupedBucket[]> {
  const range = { ...days, timezone };
  const isUtcDays = interval === 'day' && timezone === 'UTC';
  const [all, ofKeys, ofDays] = await Promise.all([
    selectEmailFigures(pool, projectId, range, { interval, dimension: 'total', keys: [''] }),
    groupBy && keys.length > 0
      ? selectEmailFigures(pool, projectId, range, { interval, dimension: groupBy, keys })
      : [],
    // The figures of UTC days also contain emails that retention deleted before there were figures by the minute.
    isUtcDays ? selectDays(pool, projectId, days) : [],
  ]);
  const totals = ofDays.length === 0 ? all : all.map((bucket, index) => ({ ...bucket, ...ofDays[index] }));
  if (!groupBy) return totals.map((bucket) => ({ ...bucket, key: null }));
  return totals.flatMap((total, index) => {
    const groups: GroupedBucket[] = ofKeys.slice(index * keys.length, (index + 1) * keys.length);
    return [...groups, { ...subtract(total, groups), at: total.at, date: total.date, key: null }];
  });
}

const NO_FIGURES: EmailFigures = {
  sent: 0,
  delivered: 0,
  opens: 0,
  clicks: 0,
  bounces: 0,
  complaints: 0,
  unsubscribes: 0,
  machineOpens: 0,
  machineClicks: 0,
};

const mapFigures = (write: (name: keyof EmailFigures) => number): EmailFigures => ({
  sent: write('sent'),
  delivered: write('delivered'),
  opens: write('opens'),
  clicks: write('clicks'),
  bounces: write('bounces'),
  complaints: write('complaints'),
  unsubscribes: write('unsubscribes'),
  machineOpens: write('machineOpens'),
  machineClicks: write('machineClicks'),
});

const figuresOf = (figures: EmailFigures = NO_FIGURES): EmailFigures => mapFigures((name) => figures[name]);

/** A sum is read after its parts, so that it can only be larger; a fold in between changes neither. */
const subtract = (total: EmailFigures, parts: readonly EmailFigures[]): EmailFigures =>
  mapFigures((name) => Math.max(0, total[name] - parts.reduce((sum, part) => sum + part[name], 0)));

export interface ContactGrowth extends ContactDay {
  /** The existing contacts that were created until the end of the day. */
  total: number;
}

/**
 * Returns the growth of the contacts per local day, oldest first.
 *
 * @throws VALIDATION_ERROR (422) as timeseries
 */
export async function contactGrowth(ctx: Context, projectId: string, asked: LocalDaysAsked): Promise<ContactGrowth[]> {
  requireTimezone(asked.timezone);
  const { before, days } = await selectContactDays(ctx.pool, projectId, {
    ...readLocalDays(asked),
    timezone: asked.timezone,
  });
  let total = before;
  return days.map((day) => {
    total += day.created;
    return { ...day, total };
  });
}
