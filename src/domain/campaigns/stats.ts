/** `GET /campaigns/:id/stats`. */
import type { Context } from '../../context.js';
import { countCampaignEmails, type CampaignCounters } from '../../db/sql/campaigns.js';
import { requireCampaign } from './manage.js';

export interface CampaignStats extends CampaignCounters {
  deliveryRate: number;
  openRate: number;
  clickRate: number;
  bounceRate: number;
}

/**
 * The counters of a campaign as of now, as in its view, and their rates as fractions of what was sent (contract, section 5); 0 when nothing was.
 *
 * @throws CAMPAIGN_NOT_FOUND (404)
 */
export async function getCampaignStats(ctx: Context, projectId: string, id: string): Promise<CampaignStats> {
  await requireCampaign(ctx, projectId, id);
  const counters = await countCampaignEmails(ctx.pool, id);
  const rate = (count: number): number => (counters.sentCount === 0 ? 0 : count / counters.sentCount);
  return {
    ...counters,
    deliveryRate: rate(counters.deliveredCount),
    openRate: rate(counters.openedCount),
    clickRate: rate(counters.clickedCount),
    bounceRate: rate(counters.bouncedCount),
  };
}
