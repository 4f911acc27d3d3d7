/** Why emails of a campaign failed, and sending them again. */
import type { ApiContext } from '../../context.js';
import { enqueue } from '../../db/outbox.js';
import { transaction } from '../../db/pool.js';
import { notFound } from '../../errors.js';
import { requireEnabled } from '../projects/access.js';
import { holdProject } from '../projects/sql/stop.js';
import { campaignStart } from './intents.js';
import { requireCampaign, wrongState } from './manage.js';
import { requireComplete } from './problems.js';
import { requireVerifiedSenders } from './senders.js';
import { countRetried, groupFailures, lockSentCampaign, startRetry } from './sql/retry.js';

/** Reasons per response. */
const MAX_REASONS = 100;

export interface CampaignFailures {
  data: Array<{
    response: string;
    count: number;
    example: { emailId: string; email: string; response: string };
  }>;
  /** Failed emails with other reasons. */
  other: number;
}

/**
 * Returns the reasons of a campaign's FAILED emails, most frequent first.
 *
 * @throws CAMPAIGN_NOT_FOUND (404)
 */
export async function listFailures(ctx: ApiContext, projectId: string, id: string): Promise<CampaignFailures> {
  await requireCampaign(ctx, projectId, id);
  const { groups, total } = await groupFailures(ctx.pool, id, MAX_REASONS);
  return {
    data: groups.map(({ response, count, emailId, email, reply }) => ({
      response,
      count,
      example: { emailId, email, response: reply },
    })),
    other: total - groups.reduce((sum, { count }) => sum + count, 0),
  };
}

export interface RetryFailed {
  /** Whether emails with an unknown outcome are also sent again. They may arrive twice. */
  includeAmbiguous: boolean;
}

/**
 * Sends the FAILED emails of a campaign again. The status change and the workflow start are committed in one transaction.
 * The workflow queues the emails in pages (run.ts), and workers send them as during the first run.
 *
 * Without `includeAmbiguous`, no recipient gets a second email: the mail server accepted none of these emails, and an
 * email whose outcome becomes unknown during the retry is settled by AMBIGUOUS_SEND. With it, unknown emails are sent
 * until a mail server has replied, even under AMBIGUOUS_SEND=skip.
 *
 * @throws CAMPAIGN_NOT_FOUND (404); CONFLICT (409, not SENT); 403 if the domain of a sender is no longer verified;
 * PROJECT_DISABLED (403)
 */
export async function retryFailed(
  ctx: ApiContext,
  projectId: string,
  id: string,
  { includeAmbiguous }: RetryFailed,
): Promise<{ retried: number }> {
  const campaign = await requireCampaign(ctx, projectId, id);
  if (campaign.status !== 'SENT') throw await wrongState(ctx, projectId, id, 'retried');
  await requireVerifiedSenders(ctx.pool, requireComplete(campaign));
  const retried = await transaction(ctx.pool, async (tx) => {
    const project = await holdProject(tx, projectId);
    if (project) requireEnabled(project);
    const isSent = await lockSentCampaign(tx, projectId, id);
    if (isSent === null) throw notFound('CAMPAIGN');
    if (!isSent) return null;
    const count = await countRetried(tx, id, includeAmbiguous);
    if (count === 0) return 0;
    const attempt = await startRetry(tx, id, includeAmbiguous);
    await enqueue(tx, [campaignStart({ campaignId: id, projectId, attempt }, null)]);
    return count;
  });
  if (retried === null) throw await wrongState(ctx, projectId, id, 'retried');
  if (retried > 0) ctx.wake('outbox');
  return { retried };
}
