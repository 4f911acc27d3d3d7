/** Reports about a campaign: its links, and its figures over time. */
import type { ApiContext } from '../../context.js';
import { selectCampaignFigures, type Interval } from '../analytics/sql/email-figures.js';
import { requireTimezone } from '../timezone.js';
import { requireCampaign } from './manage.js';
import { selectLinks, type LinkFigures } from './sql/links.js';

/** Links per response. */
export const MAX_LINKS = 500;

export interface CampaignLinks {
  data: Array<LinkFigures & { url: string; label: string | null }>;
  /** All further links together. A recipient who clicked several of them counts several times. */
  other: LinkFigures | null;
}

/**
 * Returns the clicked links of a campaign, most people first. Machines count only in `machineClicks`.
 *
 * @throws CAMPAIGN_NOT_FOUND (404)
 */
export async function listLinks(ctx: ApiContext, projectId: string, id: string): Promise<CampaignLinks> {
  await requireCampaign(ctx, projectId, id);
  const rows = await selectLinks(ctx.pool, id, MAX_LINKS);
  const links: CampaignLinks = { data: [], other: null };
  for (const { url, label, ...figures } of rows) {
    if (url === null) links.other = figures;
    else links.data.push({ url, label, ...figures });
  }
  return links;
}

/** Intervals per response, from the campaign's first figure on: 48 hours, 4 months, or 10 years. */
export const MAX_INTERVALS: Record<Interval, number> = { minute: 2880, hour: 2928, day: 3653 };

export interface CampaignPoint {
  /** The start of the interval. */
  at: Date;
  sent: number;
  opens: number;
  clicks: number;
  bounces: number;
  complaints: number;
  unsubscribes: number;
  machineOpens: number;
  machineClicks: number;
}

/**
 * Returns a campaign's figures over time, from its first to its last one, with zeros. Each email counts once per column.
 *
 * @throws CAMPAIGN_NOT_FOUND (404), VALIDATION_ERROR (422, field `timezone`)
 */
export async function campaignTimeseries(
  ctx: ApiContext,
  projectId: string,
  id: string,
  { interval, timezone }: { interval: Interval; timezone: string },
): Promise<CampaignPoint[]> {
  requireTimezone(timezone);
  await requireCampaign(ctx, projectId, id);
  const buckets = await selectCampaignFigures(
    ctx.pool,
    { projectId, campaignId: id },
    { interval, timezone, limit: MAX_INTERVALS[interval] },
  );
  return buckets.map((figures) => ({
    at: figures.at,
    sent: figures.sent,
    opens: figures.opens,
    clicks: figures.clicks,
    bounces: figures.bounces,
    complaints: figures.complaints,
    unsubscribes: figures.unsubscribes,
    machineOpens: figures.machineOpens,
    machineClicks: figures.machineClicks,
  }));
}
