/** When a campaign is due: now, at a moment, or at a local time (research, ahead.md, section 3.2). */
import { badRequest, invalidField } from '../../errors.js';
import type { Queryable } from '../../db/pool.js';
import { hasOffset, isTimezone, momentOf } from '../timezone.js';
import { RECIPIENT } from '../send-window.js';
import { readMoment } from './dates.js';
import { selectTimezone } from './sql/timing.js';

/** What becomes of recipients whose local time has passed when sending begins. */
export const PAST_RULES = ['next_day', 'now', 'skip'] as const;
export type PastRule = (typeof PAST_RULES)[number];

/** Hours. */
export const MAX_LATENESS = { min: 1, max: 72, default: 6 } as const;

/** A schedule as a request gives it. */
export interface SendSchedule {
  scheduledFor?: string | null;
  /** IANA, or `recipient`. `scheduledFor` is then a local time. */
  timezone?: string;
  fallbackTimezone?: string;
  past?: PastRule;
  maxLateness?: number;
}

/** The local time of a campaign for which each recipient's time zone counts. */
export interface RecipientSchedule {
  /** `2030-01-31T09:00` */
  time: string;
  timezone: typeof RECIPIENT;
  /** For recipients without a known time zone. */
  fallbackTimezone: string;
  past: PastRule;
  /** Hours after which an email is not sent any more. */
  maxLateness: number;
}

/** A local time, as a campaign stores it. */
export type LocalSchedule = RecipientSchedule | { time: string; timezone: string };

export const isForRecipients = (schedule: LocalSchedule | null): schedule is RecipientSchedule =>
  schedule?.timezone === RECIPIENT;

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/;
/** The zones in which a local time comes first and last. */
const [FIRST_ZONE, LAST_ZONE] = ['Etc/GMT-14', 'Etc/GMT+12'];
const TWO_DAYS_MS = 48 * 3_600_000;

/**
 * Returns when the sending of a campaign begins (null: now), and its local time.
 *
 * @throws BAD_REQUEST (400) if `scheduledFor` is not a date, or in the past (for recipients: everywhere);
 * VALIDATION_ERROR (422) for a time with an offset together with a time zone, an unknown zone, and options without
 * `timezone: recipient`
 */
export async function readSchedule(
  db: Queryable,
  projectId: string,
  { scheduledFor, timezone, ...options }: SendSchedule,
): Promise<{ startAt: Date | null; local: LocalSchedule | null }> {
  if (timezone !== RECIPIENT)
    for (const [field, value] of Object.entries(options))
      if (value !== undefined) throw invalidField(field, 'needs timezone "recipient"');
  if (timezone === undefined) return { startAt: readMoment(scheduledFor), local: null };
  const time = readLocalTime(scheduledFor);
  if (timezone !== RECIPIENT)
    return { startAt: inFuture(await momentOf(db, time, timezone)), local: { time, timezone } };

  const fallbackTimezone = options.fallbackTimezone ?? (await selectTimezone(db, projectId));
  if (!isTimezone(fallbackTimezone))
    throw invalidField('fallbackTimezone', 'must be the name of a time zone, such as Europe/Berlin');
  inFuture(await momentOf(db, time, LAST_ZONE));
  const first = await momentOf(db, time, FIRST_ZONE);
  const { past = 'next_day', maxLateness = MAX_LATENESS.default } = options;
  return {
    startAt: first.getTime() > Date.now() ? first : null,
    local: { time, timezone: RECIPIENT, fallbackTimezone, past, maxLateness },
  };
}

function readLocalTime(text: string | null | undefined): string {
  if (text === null || text === undefined) throw invalidField('timezone', 'needs scheduledFor');
  if (hasOffset(text)) throw invalidField('timezone', 'cannot be given for a time with an offset from UTC');
  const date = LOCAL_TIME.test(text) ? new Date(`${text}Z`) : new Date(NaN);
  // The parser moves February 30 to March.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text.slice(0, 10)))
    throw invalidField('scheduledFor', 'must be a local time such as 2030-01-31T09:00');
  // PostgreSQL does not know the year 0.
  inFuture(new Date(date.getTime() + TWO_DAYS_MS));
  return text;
}

function inFuture(date: Date): Date {
  if (date.getTime() <= Date.now()) throw badRequest('scheduledFor is in the past. Leave it out to send now.');
  return date;
}
