/** `GET /campaigns/:id/stats`. */
import type { Context } from '../../context.js';
import type { CampaignCounters } from '../../db/sql/campaigns.js';
import { countersOfCampaign } from './manage.js';

export interface CampaignStats extends CampaignCounters {
  deliveryRate: number;
  openRate: number;
  clickRate: number;
  bounceRate: number;
}

/**
 * The counters of a campaign, and their rates as fractions of what was sent (contract, section 5); 0 when nothing was.
 *
 * @throws CAMPAIGN_NOT_FOUND (404)
 */
export async function getCampaignStats(ctx: Context, projectId: string, id: string): Promise<CampaignStats> {
  const counters = await countersOfCampaign(ctx, projectId, id);
  const rate = (count: number): number => (counters.sentCount === 0 ? 0 : count / counters.sentCount);
  return {
    ...counters,
    deliveryRate: rate(counters.deliveredCount),
    openRate: rate(counters.openedCount),
    clickRate: rate(counters.clickedCount),
    bounceRate: rate(counters.bouncedCount),
  };
}
