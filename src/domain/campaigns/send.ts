/** Sends, schedules, cancels, and tests campaigns. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { readRoom } from '../billing/sql/billing.js';
import {
  cancelCampaignRow,
  hasRecipients,
  lockContactOfAddress,
  isLargerThan,
  startCampaign,
  storeRest,
  type StartedCampaign,
} from './sql/campaigns.js';
import { cancelFreeEmails } from '../delivery/sql/campaigns.js';
import { waitUntilStopped } from '../delivery/stop.js';
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
import { requireComplete } from './content.js';
import { campaignCancel, campaignStart } from './intents.js';
import { getCampaign, requireCampaign, wrongState } from './manage.js';
import type { Campaign } from './view.js';

/** The number of chunks that the request itself cancels; the workflow cancels the rest. 100,000 emails take about 2 s. */
const MAX_CHUNKS_CANCELLED_BY_REQUEST = 100;

export type SentCampaign = Pick<StartedCampaign, 'id' | 'name' | 'status' | 'scheduledFor'>;

/**
 * Starts sending a campaign now, or at `scheduledFor`. A new date replaces an old one.
 *
 * The status change and the workflow start are committed in one transaction, so a crash leaves either both or neither.
 *
 * @throws CAMPAIGN_NOT_FOUND (404); CONFLICT (409, not DRAFT or SCHEDULED); BAD_REQUEST (400: not a date, a date in the
 * past, or no recipient now); 403 if the sender's domain is no longer verified; PROJECT_DISABLED (403, disabled since the
 * request was authenticated); BILLING_LIMIT_EXCEEDED (403, the audience exceeds the project's limit)
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
      ...(wasScheduled ? [campaignCancel(id, attempt - 1, 'The campaign was sent or rescheduled')] : []),
      campaignStart({ campaignId: id, projectId, attempt }, startAt),
    ]);
    return row;
  });
  if (!started) throw await wrongState(ctx, projectId, id, 'sent');
  ctx.wake('outbox');
  return { id: started.id, name: started.name, status: started.status, scheduledFor: started.scheduledFor };
}

/** Checks what can be checked before the start. The update itself checks the state again. */
async function requireSendable(ctx: Context, projectId: string, id: string, startAt: Date | null): Promise<void> {
  const row = await ctx.prisma.campaign.findUnique({ where: { projectId_id: { projectId, id } } });
  if (!row) throw notFound('CAMPAIGN');
  if (row.status !== 'DRAFT' && row.status !== 'SCHEDULED') throw await wrongState(ctx, projectId, id, 'sent');
  const campaign = requireComplete(row);
  await requireVerifiedSender(ctx.pool, projectId, campaign.from);
  // The usage of a later month starts at zero.
  const room =
    startAt !== null && startAt >= monthOf(new Date()).end
      ? undefined
      : (await readRoom(ctx.pool, [projectId], 'CAMPAIGN')).get(projectId);
  if (room === 0) throw await overLimit(ctx, projectId, 'CAMPAIGN');
  const { reached, tooMany } = await wideQuery(ctx.pool, async (tx) => {
    const audience = await campaignAudience(tx, campaign);
    // The audience of a scheduled campaign is determined when it is due.
    if (startAt !== null) return { reached: true, tooMany: false };
    return {
      reached: await hasRecipients(tx, audience),
      tooMany: room !== undefined && (await isLargerThan(tx, audience, room)),
    };
  });
  if (!reached) throw badRequest('The campaign has no recipients. No contact of its audience can receive it.');
  // This is a forecast for the caller. The count in the snapshot decides (run.ts).
  if (tooMany) throw await overLimit(ctx, projectId, 'CAMPAIGN');
}

/**
 * Cancels a campaign. Emails that were not yet handed over are never sent. Its date stays visible.
 *
 * The status changes first. From then on, no chunk of the campaign is leased or added. Returns when the workers have
 * stopped, so that only emails in flight are delivered after the response.
 *
 * @throws CAMPAIGN_NOT_FOUND (404), CONFLICT (409, not SCHEDULED or SENDING)
 */
export async function cancelCampaign(ctx: Context, projectId: string, id: string): Promise<Campaign> {
  const cancelled = await transaction(ctx.pool, async (tx) => {
    const row = await cancelCampaignRow(tx, projectId, id);
    if (!row) return false;
    await enqueue(tx, [campaignCancel(id, row.attempt, 'The campaign was canceled')]);
    await cancelFreeEmails(tx, id, MAX_CHUNKS_CANCELLED_BY_REQUEST);
    await storeRest(tx, id);
    return true;
  });
  if (!cancelled) throw await wrongState(ctx, projectId, id, 'cancelled');
  ctx.wake('campaigns');
  ctx.wake('outbox');
  await waitUntilStopped(ctx.pool, id);
  return getCampaign(ctx, projectId, id);
}

export interface TestEmail {
  /** The email's id, for `GET /emails/:id`. */
  id: string;
  email: string;
  status: 'PENDING';
}

/**
 * Sends the current content of a campaign to one address, rendered with the contact of that address if one exists. Works
 * in every state and is not counted: it creates no contact and no event. `compose.ts` adds `[TEST] ` to the subject.
 *
 * @throws CAMPAIGN_NOT_FOUND (404); 403 if the sender's domain is not verified
 */
export async function sendTest(ctx: Context, projectId: string, id: string, email: string): Promise<TestEmail> {
  const campaign = requireComplete(await requireCampaign(ctx, projectId, id));
  const { type, subject, preheader, body, from, fromName, replyTo } = campaign;
  await requireVerifiedSender(ctx.pool, projectId, from);
  const emailId = newId();
  await transaction(ctx.pool, async (tx) => {
    const contactId = await lockContactOfAddress(tx, projectId, email);
    const messageId = newId();
    await insertMessage(tx, { id: messageId, projectId, type, subject, preheader, body, from, fromName, replyTo });
    await insertEmail(tx, { id: emailId, projectId, messageId, contactId, source: 'TEST', type, toEmail: email });
  });
  ctx.wake('emails');
  return { id: emailId, email, status: 'PENDING' };
}
