/** Sends, schedules, cancels, and tests campaigns. */
import type { ApiContext } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { readRoom } from '../billing/sql/billing.js';
import {
  cancelCampaignRow,
  hasRecipients,
  isLargerThan,
  startCampaign,
  storeRest,
  type StartedCampaign,
} from './sql/campaigns.js';
import { cancelFreeEmails } from '../delivery/sql/campaigns.js';
import { waitUntilStopped } from '../delivery/stop.js';
import { enqueue } from '../../db/outbox.js';
import { holdProject } from '../projects/sql/stop.js';
import { wideQuery } from '../../db/wide-query.js';
import { badRequest, invalidField, notFound } from '../../errors.js';
import { monthOf, overLimit } from '../billing/limits.js';
import { requireEnabled } from '../projects/access.js';
import { sendTest, type TestEmail, type TestRecipient } from '../content/test-email.js';
import { campaignAudience, requireMinAudience } from './audience.js';
import { isForRecipients, readSchedule, type LocalSchedule, type SendSchedule } from './local-schedule.js';
import { isPlainSplit, minAudience, requireVariant, withVariant, type Variant, type VariantTest } from './variants.js';
import { requireSendableContent } from './problems.js';
import { requireVerifiedSenders } from './senders.js';
import { campaignCancel, campaignStart } from './intents.js';
import { getCampaign, requireCampaign, wrongState } from './manage.js';
import type { Campaign } from './view.js';

/** The number of chunks that the request itself cancels; the workflow cancels the rest. 100,000 emails take about 2 s. */
const MAX_CHUNKS_CANCELLED_BY_REQUEST = 100;

export type SentCampaign = Pick<StartedCampaign, 'id' | 'name' | 'status' | 'scheduledFor'>;

/**
 * Starts sending a campaign now, at `scheduledFor`, or where that local time comes first. A new date replaces an old one.
 *
 * The status change and the workflow start are committed in one transaction, so a crash leaves either both or neither.
 *
 * @throws CAMPAIGN_NOT_FOUND (404); CONFLICT (409, not DRAFT or SCHEDULED); VALIDATION_ERROR (422) that lists the
 * errors of a draft; TEST_TOO_SMALL (422) without `force`; BAD_REQUEST (400: not a date, a date in the past, or no recipient now); 403 if the sender's domain
 * is no longer verified; PROJECT_DISABLED (403, disabled since the request was authenticated); BILLING_LIMIT_EXCEEDED
 * (403, the audience exceeds the project's limit); VALIDATION_ERROR (422) for the local time, see readSchedule
 */
export async function sendCampaign(
  ctx: ApiContext,
  projectId: string,
  id: string,
  { force = false, ...schedule }: SendSchedule & { force?: boolean } = {},
): Promise<SentCampaign> {
  const { startAt, local } = await readSchedule(ctx.pool, projectId, schedule);
  const revision = await requireSendable(ctx, projectId, id, { startAt, local, force });
  const started = await transaction(ctx.pool, async (tx) => {
    const project = await holdProject(tx, projectId);
    if (project) requireEnabled(project);
    const row = await startCampaign(tx, { projectId, id, revision }, { startAt, local });
    if (!row) return null;
    const { attempt, wasScheduled } = row;
    await enqueue(tx, [
      ...(wasScheduled ? [campaignCancel(id, attempt - 1, 'The campaign was sent or rescheduled')] : []),
      campaignStart({ campaignId: id, projectId, attempt }, startAt),
    ]);
    return row;
  });
  // Its content or its state changed since the check.
  if (!started) return sendCampaign(ctx, projectId, id, { force, ...schedule });
  ctx.wake('outbox');
  return { id: started.id, name: started.name, status: started.status, scheduledFor: started.scheduledFor };
}

/**
 * Checks what can be checked before the start. The update itself checks the state again.
 *
 * @returns the revision of the content that was checked
 */
async function requireSendable(
  ctx: ApiContext,
  projectId: string,
  id: string,
  { startAt, local, force }: { startAt: Date | null; local: LocalSchedule | null; force: boolean },
): Promise<number> {
  const row = await ctx.prisma.campaign.findUnique({ where: { projectId_id: { projectId, id } } });
  if (!row) throw notFound('CAMPAIGN');
  if (row.status !== 'DRAFT' && row.status !== 'SCHEDULED') throw await wrongState(ctx, projectId, id, 'sent');
  const campaign = await requireSendableContent(ctx, row);
  await requireVerifiedSenders(ctx.pool, campaign);
  if (!isPlainSplit(row.test as VariantTest | null) && isForRecipients(local))
    throw invalidField('timezone', 'cannot be "recipient" for a test with a winner');
  // The usage of a later month starts at zero.
  const room =
    startAt !== null && startAt >= monthOf(new Date()).end
      ? undefined
      : (await readRoom(ctx.pool, [projectId], 'CAMPAIGN')).get(projectId);
  if (room === 0) throw await overLimit(ctx, projectId, 'CAMPAIGN');
  const { reached, tooMany } = await wideQuery(ctx.pool, async (tx) => {
    const audience = await campaignAudience(tx, campaign);
    if (!force) await requireMinAudience(tx, audience, minAudience(row));
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
  return campaign.revision;
}

/**
 * Cancels a campaign. Emails that were not yet handed over are never sent. Its date stays visible.
 *
 * The status changes first. From then on, no chunk of the campaign is leased or added. Returns when the workers have
 * stopped, so that only emails in flight are delivered after the response.
 *
 * @throws CAMPAIGN_NOT_FOUND (404), CONFLICT (409, not SCHEDULED or SENDING)
 */
export async function cancelCampaign(ctx: ApiContext, projectId: string, id: string): Promise<Campaign> {
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

/**
 * Sends the current content of a campaign, or of one of its variants, to one address. Works in every state.
 *
 * @throws VALIDATION_ERROR (422) for an unknown variant; CAMPAIGN_NOT_FOUND, CONTACT_NOT_FOUND (404); 403 if the sender's domain is not verified; VALIDATION_ERROR
 * (422) that lists the errors of a draft's content
 */
export async function sendCampaignTest(
  ctx: ApiContext,
  projectId: string,
  id: string,
  { variant: variantId, ...recipient }: TestRecipient & { variant?: string },
): Promise<TestEmail> {
  const campaign = await requireCampaign(ctx, projectId, id);
  if (variantId === undefined) return sendTest(ctx, projectId, campaign, recipient);
  const variant = requireVariant((campaign.variants ?? []) as unknown as Variant[], variantId);
  return sendTest(ctx, projectId, withVariant(campaign, variant), recipient);
}
