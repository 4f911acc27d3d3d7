/** Scheduled transactional email: when it is due, and how it is moved and canceled (research, ahead.md, section 3.5). */
import type { ApiContext, Context } from '../../context.js';
import { conflict, invalidField, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import type { Queryable } from '../../db/pool.js';
import { withLockTimeout } from '../lock-timeout.js';
import { hasOffset, momentOf } from '../timezone.js';
import { getEmail } from './get.js';
import { cancelEmails, cancelGroupOf, lockEmails, moveEmails, type LockedEmail } from './sql/schedule.js';

const DAY_MS = 24 * 3_600_000;
export const MAX_SCHEDULE_DAYS = 90;
/** More than any zone's distance from UTC. */
const MAX_OFFSET_MS = DAY_MS;
/** A time that has just passed is now: clocks differ, and requests take time. */
const MAX_PAST_MS = 60_000;
const CANCEL_REASON = 'The email was canceled.';

/** A time as a request gives it. */
export interface Schedule {
  /** ISO 8601, with an offset from UTC or else a `timezone`. */
  scheduledFor?: string;
  timezone?: string;
}

/**
 * Returns when an email is due; null for immediately.
 *
 * @throws VALIDATION_ERROR (422, field `scheduledFor` or `timezone`) for a time more than 60 seconds ago or more than 90 days
 * ahead, with neither an offset nor a time zone or with both, and for an unknown zone
 */
export async function readSchedule(
  db: Queryable,
  { scheduledFor, timezone }: Schedule,
  now = Date.now(),
): Promise<Date | null> {
  if (scheduledFor === undefined) {
    if (timezone !== undefined) throw invalidField('timezone', 'needs scheduledFor');
    return null;
  }
  const isMoment = hasOffset(scheduledFor);
  if (isMoment && timezone !== undefined)
    throw invalidField('timezone', 'cannot be given for a time with an offset from UTC');
  if (isMoment) return dueAt(new Date(scheduledFor), now);
  if (timezone === undefined) throw invalidField('scheduledFor', 'must have an offset from UTC, or a timezone');
  // PostgreSQL has an error for years that are far away.
  checkRange(Date.parse(`${scheduledFor}Z`), now, MAX_OFFSET_MS);
  return dueAt(await momentOf(db, scheduledFor, timezone), now);
}

function dueAt(time: Date, now: number): Date | null {
  checkRange(time.getTime(), now);
  return time.getTime() > now ? time : null;
}

function checkRange(time: number, now: number, toleranceMs = 0): void {
  if (time < now - MAX_PAST_MS - toleranceMs) throw invalidField('scheduledFor', 'must not be in the past');
  if (time > now + MAX_SCHEDULE_DAYS * DAY_MS + toleranceMs)
    throw invalidField('scheduledFor', `must be at most ${MAX_SCHEDULE_DAYS} days ahead`);
}

/**
 * Moves a scheduled email to another time, with its copies. A time that has just passed releases it.
 *
 * @throws EMAIL_NOT_FOUND (404), CONFLICT (409, it is not scheduled, or belongs to a campaign), VALIDATION_ERROR (422, see readSchedule)
 */
export async function rescheduleEmail(ctx: ApiContext, projectId: string, id: string, schedule: Schedule) {
  const to = (await readSchedule(ctx.pool, schedule)) ?? new Date();
  await change(ctx, projectId, id, async (tx, { status, campaignId }, all) => {
    if (campaignId !== null) throw conflict('Emails of a campaign are moved with the campaign.');
    if (status !== 'SCHEDULED')
      throw conflict(`Only scheduled emails can be moved. This one is ${status}.`, { details: { status } });
    await moveEmails(tx, idsOf(all.filter((email) => email.status === 'SCHEDULED')), to);
  });
  return getEmail(ctx, projectId, id);
}

/**
 * Cancels an email that was not attempted, or that the mail server has postponed, with its copies. Canceling it again changes
 * nothing.
 *
 * @throws EMAIL_NOT_FOUND (404), CONFLICT (409, with its status, if it is being sent or has ended, and for emails of
 * campaigns)
 */
export async function cancelEmail(ctx: ApiContext, projectId: string, id: string) {
  await change(ctx, projectId, id, async (tx, email, all) => {
    if (email.status === 'CANCELLED') return;
    if (email.campaignId !== null) throw conflict('Emails of a campaign are canceled with the campaign.');
    const { status } = email;
    if (!isWaiting(email))
      throw conflict(`The email can no longer be canceled. It is ${status}.`, { details: { status } });
    await cancelEmails(tx, idsOf(all.filter(isWaiting)), CANCEL_REASON);
  });
  return getEmail(ctx, projectId, id);
}

const isWaiting = ({ status, ambiguous }: LockedEmail): boolean =>
  (status === 'SCHEDULED' || status === 'PENDING') && !ambiguous;

const idsOf = (emails: LockedEmail[]): string[] => emails.map(({ id }) => id);

/** Cancels all emails of a group that can be canceled. @returns their number */
export const cancelGroup = (ctx: Context, projectId: string, group: string): Promise<number> =>
  withLockTimeout(ctx.pool, (tx) => cancelGroupOf(tx, projectId, group, CANCEL_REASON));

/** `all`: the email, its original, and the copies of it. */
type Change = (tx: Queryable, email: LockedEmail, all: LockedEmail[]) => Promise<void>;

/** Changes a locked email and those that belong to it. */
async function change(ctx: Context, projectId: string, id: string, work: Change): Promise<void> {
  if (!isId(id)) throw notFound('EMAIL');
  await withLockTimeout(ctx.pool, async (tx) => {
    const all = await lockEmails(tx, projectId, id);
    const email = all.find((one) => one.id === id);
    if (!email) throw notFound('EMAIL');
    await work(tx, email, all);
  });
}
