/** `/analytics/*` and `GET /activity/stats`: figures by UTC days. */
import type { Context } from '../../context.js';
import {
  countEventsOfDays,
  selectDays,
  selectTopCampaigns,
  selectTopEvents,
  sumDays,
  summarizeCampaigns,
  type CampaignsSummary,
  type DayOfProject,
  type TopCampaign,
} from './sql/analytics.js';
import type { EventCount, TimeRange } from '../events/sql/days.js';
import { daysBefore, daysTouched, readDays, type DaysAsked } from './days.js';

const rate = (count: number, of: number): number => (of === 0 ? 0 : count / of);

/**
 * What became of emails, by the day on which it happened, whenever it was heard of: each email counts once in each
 * column.
 *
 * @throws VALIDATION_ERROR (422) for days that are none, or more than 365
 */
export const timeseries = async ({ pool }: Context, projectId: string, asked: DaysAsked): Promise<DayOfProject[]> =>
  selectDays(pool, projectId, readDays(asked));

export interface RatedCampaign extends TopCampaign {
  /** Fractions of sentCount. */
  openRate: number;
  clickRate: number;
}

/** The campaigns that most people have opened. */
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
   * Against as many days before, as a fraction of what it was then: 0.5 is half as many again, -1 none any more; 1
   * where there was none before.
   */
  trend: number;
}

/** @throws VALIDATION_ERROR (422) for days that are none, or more than 365 */
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
  /** Fractions of totalEmailsSent. */
  openRate: number;
  clickRate: number;
}

/** What happened on the days that a range touches, or ever. */
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
