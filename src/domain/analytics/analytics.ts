/** `/analytics/*` and `GET /activity/stats`: figures by UTC days. */
import type { Context } from '../../context.js';
import {
  countEventsOfDays,
  selectTopCampaigns,
  selectTopEvents,
  sumDays,
  summarizeCampaigns,
  type CampaignsSummary,
  type TopCampaign,
} from './sql/analytics.js';
import type { EventCount, TimeRange } from '../events/sql/days.js';
import { daysBefore, daysTouched, readDays, type DaysAsked } from './days.js';

const rate = (count: number, of: number): number => (of === 0 ? 0 : count / of);

export interface RatedCampaign extends TopCampaign {
  /** As a fraction of sentCount. */
  openRate: number;
  clickRate: number;
}

/** Returns the campaigns with the most openings. */
export async function topCampaigns(
  { pool }: Context,
  projectId: string,
  options: TimeRange & { limit: number },
): Promise<RatedCampaign[]> {
  const campaigns = await selectTopCampaigns(pool, projectId, options);
  return campaigns.map((campaign) => ({
    ...campaign,
    openRate: rate(campaign.openedCount, campaign.sentCount),
    clickRate: rate(campaign.clickedCount, campaign.sentCount),
  }));
}

export const campaignsSummary = ({ pool }: Context, projectId: string): Promise<CampaignsSummary> =>
  summarizeCampaigns(pool, projectId);

export interface TopEvent extends EventCount {
  /**
   * The change from the same number of days before, as a fraction: 0.5 is 50% more, -1 is 100% less; 1 if there were
   * no events before.
   */
  trend: number;
}

/** @throws VALIDATION_ERROR (422) if a day is not a date, or for more than 365 days */
export async function topEvents(
  { pool }: Context,
  projectId: string,
  { limit, ...asked }: DaysAsked & { limit: number },
): Promise<TopEvent[]> {
  const days = readDays(asked);
  const events = await selectTopEvents(pool, projectId, days, { before: daysBefore(days), limit });
  return events.map(({ name, count, before }) => ({ name, count, trend: before > 0 ? (count - before) / before : 1 }));
}

export interface ActivityStats {
  totalEvents: number;
  totalEmailsSent: number;
  totalEmailsOpened: number;
  totalEmailsClicked: number;
  totalWorkflowsStarted: number;
  /** As a fraction of totalEmailsSent. */
  openRate: number;
  clickRate: number;
}

/** Returns the totals of all days that overlap the range, or of all time. */
export async function activityStats({ pool }: Context, projectId: string, range: TimeRange): Promise<ActivityStats> {
  const days = daysTouched(range);
  const [totalEvents, { sent, opened, clicked, workflowsStarted }] = await Promise.all([
    countEventsOfDays(pool, projectId, days),
    sumDays(pool, projectId, days),
  ]);
  return {
    totalEvents,
    totalEmailsSent: sent,
    totalEmailsOpened: opened,
    totalEmailsClicked: clicked,
    totalWorkflowsStarted: workflowsStarted,
    openRate: rate(opened, sent),
    clickRate: rate(clicked, sent),
  };
}
