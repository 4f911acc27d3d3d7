/**
 * The hours in which bulk email is sent (research, ahead.md, section 3.2): of a project, a campaign, or a SEND_EMAIL step. The
 * SQL function next_open has its rule.
 */
import { z } from 'zod';
import { isTimezone } from './timezone.js';

/** In place of a time zone: that of each recipient. */
export const RECIPIENT = 'recipient';
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const MIN_MINUTES_PER_WEEK = 60;
const MAX_EXCEPTIONS = 366;
const DAY_MINUTES = 24 * 60;

const Time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:00');

/** A window, as requests and configs of steps give it, and as it is stored. */
export const SendWindow = z
  .object({
    timezone: z
      .string()
      .max(100)
      .refine((zone) => zone === RECIPIENT || isTimezone(zone), {
        error: 'must be the name of a time zone, such as Europe/Berlin, or "recipient"',
      })
      .describe('An IANA name, or `recipient` for that of each recipient.'),
    days: z.array(z.enum(DAYS)).min(1).max(7).describe('The days on which it opens.'),
    from: Time.describe('Local time, such as `09:00`.'),
    until: Time.describe('If it is not after `from`, the window closes on the next day.'),
    except: z
      .array(z.iso.date())
      .max(MAX_EXCEPTIONS)
      .optional()
      .describe('Dates on which it does not open, such as `2026-12-24`.'),
  })
  // Without valid days and times, which have errors of their own, the minutes are 0 or not a number.
  .refine((window) => window.days.length === 0 || !(minutesPerWeek(window) < MIN_MINUTES_PER_WEEK), {
    path: ['until'],
    error: 'The window must be open for at least one hour per week',
  });

export type SendWindow = z.infer<typeof SendWindow>;

/** Returns for how many minutes a window is open in a week without exceptions. */
function minutesPerWeek({ days, from, until }: { days: readonly string[]; from: string; until: string }): number {
  const length = minutesOf(until) - minutesOf(from);
  return new Set(days).size * (length > 0 ? length : length + DAY_MINUTES);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
