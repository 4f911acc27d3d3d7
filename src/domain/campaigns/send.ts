/** Sending a campaign, now or later; cancelling it; a test of it to one address. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { readRoom } from '../billing/sql/billing.js';
import {
  cancelCampaignRow,
  cancelPendingEmails,
  hasRecipients,
  holdContactOfAddress,
  isLargerThan,
  startCampaign,
  storeRest,
  type StartedCampaign,
} from './sql/campaigns.js';
import { insertEmail, insertMessage } from '../emails/sql/emails.js';
import { enqueue } from '../../db/outbox.js';
import { holdProject } from '../projects/sql/stop.js';
import { wideQuery } from '../../db/wide-query.js';
import { badRequest, notFound } from '../../errors.js';
import { newId } from '../../ids.js';
import { monthOf, overLimit } from '../billing/limits.js';
import { requireVerifiedSender } from '../domains/sender.js';
import { requireEnabled } from '../projects/access.js';
import { campaignAudience } from './audience.js';
import { readSchedule } from './dates.js';
import { campaignCancel, campaignStart } from './intents.js';
import { getCampaign, requireCampaign, wrongState } from './manage.js';
import type { Campaign } from './view.js';

/** What one request cancels by itself; the campaign's workflow does the rest. 100,000 rows take about 2 s. */
const CANCELLED_AT_ONCE = 100_000;

export type SentCampaign = Pick<StartedCampaign, 'id' | 'name' | 'status' | 'scheduledFor'>;

/**
 * Starts sending a campaign now, or at `scheduledFor`; a new date replaces an old one.
 *
 * The status changes and the workflow's start is queued in one transaction, so a crash leaves either both or neither.
 *
 * @throws CAMPAIGN_NOT_FOUND (404); CONFLICT (409, not DRAFT or SCHEDULED); BAD_REQUEST (400: no date, a date in the
 * past, nobody to send to now); 403 when the sender's domain is no longer verified; PROJECT_DISABLED (403: it was
 * disabled since the request was let in); BILLING_LIMIT_EXCEEDED (403: the project's limit leaves less than its
 * audience needs)
 */
export async function sendCampaign(
  ctx: Context,
  projectId: string,
  id: string,
  scheduledFor: string | null | undefined,
): Promise<SentCampaign> {
  const startAt = readSchedule(scheduledFor);
  await requireSendable(ctx, projectId, id, startAt);
  const started = await transaction(ctx.pool, async (tx) => {
    const project = await holdProject(tx, projectId);
    if (project) requireEnabled(project);
    const row = await startCampaign(tx, projectId, id, startAt);
    if (!row) return null;
    const { attempt, wasScheduled } = row;
    await enqueue(tx, [
      ...(wasScheduled ? [campaignCancel(id, attempt - 1, 'The campaign was sent or scheduled anew')] : []),
      campaignStart({ campaignId: id, projectId, attempt }, startAt),
    ]);
    return row;
  });
  if (!started) throw await wrongState(ctx, projectId, id, 'sent');
  ctx.wake('outbox');
  return { id: started.id, name: started.name, status: started.status, scheduledFor: started.scheduledFor };
}

/** What can be known before the campaign is started. The state is asked for again by the update itself. */
async function requireSendable(ctx: Context, projectId: string, id: string, startAt: Date | null): Promise<void> {
  const campaign = await ctx.prisma.campaign.findUnique({ where: { projectId_id: { projectId, id } } });
  if (!campaign) throw notFound('CAMPAIGN');
  if (campaign.status !== 'DRAFT' && campaign.status !== 'SCHEDULED')
    throw await wrongState(ctx, projectId, id, 'sent');
  await requireVerifiedSender(ctx.pool, projectId, campaign.from);
  // A later month begins anew.
  const room =
    startAt !== null && startAt >= monthOf(new Date()).end
      ? undefined
      : (await readRoom(ctx.pool, [projectId], 'CAMPAIGN')).get(projectId);
  if (room === 0) throw await overLimit(ctx, projectId, 'CAMPAIGN');
  const { reached, tooMany } = await wideQuery(ctx.pool, async (tx) => {
    const audience = await campaignAudience(tx, campaign);
    // Who a later date finds is decided then.
    if (startAt !== null) return { reached: true, tooMany: false };
    return {
      reached: await hasRecipients(tx, audience),
      tooMany: room !== undefined && (await isLargerThan(tx, audience, room)),
    };
  });
  if (!reached) throw badRequest('The campaign has no recipients: nobody in its audience can be mailed.');
  // Only a forecast, for whoever asks: what holds is the count of the snapshot (run.ts).
  if (tooMany) throw await overLimit(ctx, projectId, 'CAMPAIGN');
}

/**
 * Cancels a campaign: whatever was not handed to the transport never goes out. Its date stays visible.
 *
 * The status comes first: from then on no batch of the campaign is claimed, and nothing is added to it.
 *
 * @throws CAMPAIGN_NOT_FOUND (404), CONFLICT (409, not SCHEDULED or SENDING)
 */
export async function cancelCampaign(ctx: Context, projectId: string, id: string): Promise<Campaign> {
  const cancelled = await transaction(ctx.pool, async (tx) => {
    const row = await cancelCampaignRow(tx, projectId, id);
    if (!row) return false;
    await enqueue(tx, [campaignCancel(id, row.attempt, 'The campaign was cancelled')]);
    await cancelPendingEmails(tx, id, CANCELLED_AT_ONCE);
    await storeRest(tx, id);
    return true;
  });
  if (!cancelled) throw await wrongState(ctx, projectId, id, 'cancelled');
  ctx.wake('outbox');
  return getCampaign(ctx, projectId, id);
}

export interface TestEmail {
  /** Of the email, for `GET /emails/:id`. */
  id: string;
  email: string;
  status: 'PENDING';
}

/**
 * Sends a campaign as it is now to one address, with the data of the contact of that address if there is one. Works in
 * every state, and is counted nowhere: no contact is made, no event written. The mailer puts `[TEST] ` before the
 * subject of emails with this source.
 *
 * @throws CAMPAIGN_NOT_FOUND (404), 403 when the sender's domain is not verified
 */
export async function sendTest(ctx: Context, projectId: string, id: string, email: string): Promise<TestEmail> {
  const { type, subject, body, from, fromName, replyTo } = await requireCampaign(ctx, projectId, id);
  await requireVerifiedSender(ctx.pool, projectId, from);
  const emailId = newId();
  await transaction(ctx.pool, async (tx) => {
    const contactId = await holdContactOfAddress(tx, projectId, email);
    const messageId = newId();
    await insertMessage(tx, { id: messageId, projectId, type, subject, body, from, fromName, replyTo });
    await insertEmail(tx, { id: emailId, projectId, messageId, contactId, source: 'TEST', type, toEmail: email });
  });
  ctx.wake('emails');
  return { id: emailId, email, status: 'PENDING' };
}
