/** Scheduled transactional email: when it is due, and how it is moved and canceled (research, ahead.md, section 3.5). */
import type { Context } from '../../context.js';
import { conflict, notFound, validationError } from '../../errors.js';
import { isId } from '../../ids.js';
import { withLockTimeout } from '../lock-timeout.js';
import { getEmail } from './get.js';
import { cancelGroupOf, cancelLockedEmail, lockEmail, moveEmail, type EmailState } from './sql/schedule.js';

const DAY_MS = 24 * 3_600_000;
export const MAX_SCHEDULE_DAYS = 90;
/** A time that has just passed is now: clocks differ, and requests take time. */
const MAX_PAST_MS = 60_000;
const CANCEL_REASON = 'The email was canceled.';

/**
 * Returns when an email is due; null for immediately.
 *
 * @throws VALIDATION_ERROR (422, field `scheduledFor`) for a time more than 60 seconds ago or more than 90 days ahead
 */
export function readSchedule(scheduledFor: Date | undefined, now = new Date()): Date | null {
  if (scheduledFor === undefined) return null;
  const waitMs = scheduledFor.getTime() - now.getTime();
  const reject = (message: string) => validationError([{ field: 'scheduledFor', message, code: 'custom' }]);
  if (waitMs < -MAX_PAST_MS) throw reject('must not be in the past');
  if (waitMs > MAX_SCHEDULE_DAYS * DAY_MS) throw reject(`must be at most ${MAX_SCHEDULE_DAYS} days ahead`);
  return waitMs > 0 ? scheduledFor : null;
}

/**
 * Moves a scheduled email to another time. A time that has just passed releases it.
 *
 * @throws EMAIL_NOT_FOUND (404), CONFLICT (409, it is not scheduled), VALIDATION_ERROR (422, see readSchedule)
 */
export async function rescheduleEmail(ctx: Context, projectId: string, id: string, scheduledFor: Date) {
  const to = readSchedule(scheduledFor) ?? new Date();
  await change(ctx, projectId, id, async (tx, { status }) => {
    if (status !== 'SCHEDULED') throw conflict(`Only scheduled emails can be moved. This one is ${status}.`);
    await moveEmail(tx, id, to);
  });
  return getEmail(ctx, projectId, id);
}

/**
 * Cancels an email that was not attempted, or that the mail server has postponed. Canceling it again changes nothing.
 *
 * @throws EMAIL_NOT_FOUND (404), CONFLICT (409, with its status, if it is being sent or has ended, and for emails of
 * campaigns)
 */
export async function cancelEmail(ctx: Context, projectId: string, id: string) {
  await change(ctx, projectId, id, async (tx, { status, campaignId, ambiguous }) => {
    if (status === 'CANCELLED') return;
    if (campaignId !== null) throw conflict('Emails of a campaign are canceled with the campaign.');
    if ((status !== 'SCHEDULED' && status !== 'PENDING') || ambiguous)
      throw conflict(`The email can no longer be canceled. It is ${status}.`);
    await cancelLockedEmail(tx, id, CANCEL_REASON);
  });
  return getEmail(ctx, projectId, id);
}

/** Cancels all emails of a group that can be canceled. @returns their number */
export const cancelGroup = (ctx: Context, projectId: string, group: string): Promise<number> =>
  withLockTimeout(ctx.pool, (tx) => cancelGroupOf(tx, projectId, group, CANCEL_REASON));

type Change = (tx: Parameters<Parameters<typeof withLockTimeout>[1]>[0], state: EmailState) => Promise<void>;

/** Changes a locked email. */
async function change(ctx: Context, projectId: string, id: string, work: Change): Promise<void> {
  if (!isId(id)) throw notFound('EMAIL');
  await withLockTimeout(ctx.pool, async (tx) => {
    const state = await lockEmail(tx, projectId, id);
    if (!state) throw notFound('EMAIL');
    await work(tx, state);
  });
}
