/** `GET /campaigns/:id/stats`. */
import type { ApiContext } from '../../context.js';
import { countCampaignRest, type CampaignRest } from './sql/campaigns.js';
import { figuresOfCampaigns, type CampaignFigures } from '../analytics/sql/figures.js';
import { notFound } from '../../errors.js';
import type { Campaign as CampaignRow } from '../../generated/prisma/client.js';
import { requireCampaign } from './manage.js';
import { variantStats, type VariantStats } from './decision.js';
import { countFallback } from './sql/waves.js';
import type { Decision, VariantTest } from './variants.js';

export interface CampaignStats extends CampaignFigures, CampaignRest {
  deliveryRate: number;
  openRate: number;
  clickRate: number;
  bounceRate: number;
  /** Without the rest of the audience, which gets the winner. Empty without variants. */
  variants: VariantStats[];
  /** Recipients without a known time zone. */
  fallbackZone: number;
}

/**
 * Returns the current counters of a campaign, and rates as fractions of sent (contract, section 5), 0 if nothing was
 * sent.
 *
 * @throws CAMPAIGN_NOT_FOUND (404)
 */
export async function getCampaignStats(ctx: ApiContext, projectId: string, id: string): Promise<CampaignStats> {
  const campaign = await requireCampaign(ctx, projectId, id);
  const figures = (await figuresOfCampaigns(ctx.pool, projectId, [id])).get(id);
  if (!figures) throw notFound('CAMPAIGN');
  const rate = (count: number): number => (figures.sentCount === 0 ? 0 : count / figures.sentCount);
  return {
    ...figures,
    ...(campaign.emailsExpired ? storedRest(campaign, figures) : await countCampaignRest(ctx.pool, id)),
    deliveryRate: rate(figures.deliveredCount),
    openRate: rate(figures.openedCount),
    clickRate: rate(figures.clickedCount),
    bounceRate: rate(figures.bouncedCount),
    variants:
      campaign.variants === null
        ? []
        : await variantStats(
            ctx,
            { projectId, campaignId: id },
            campaign.test as VariantTest | null,
            campaign.decision as Decision | null,
          ),
    fallbackZone: await countFallback(ctx.pool, id),
  };
}

/** The counts that were stored before retention deleted the first emails. */
const storedRest = (
  { unsubscribedCount, failedCount, unknownCount }: CampaignRow,
  { totalRecipients, sentCount }: CampaignFigures,
): CampaignRest => ({
  unsubscribedCount,
  failedCount,
  unknownCount,
  pendingCount: 0,
  cancelledCount: Math.max(0, totalRecipients - sentCount - failedCount - unknownCount),
});
