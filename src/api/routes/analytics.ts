/** Figures for charts and tables. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { campaignsSummary, timeseries, topCampaigns, topEvents } from '../../domain/analytics/analytics.js';
import { MAX_DAYS } from '../../domain/analytics/days.js';
import { CampaignStatus as CampaignStatuses } from '../../generated/prisma/enums.js';
import { Timestamp, dateRangeQuery, positiveInteger } from '../schemas.js';
import { withTypes } from '../typed.js';

const DAYS_FIELDS = {
  days: positiveInteger(30, MAX_DAYS).describe(
    'How many days, up to `endDate` or today, where no `startDate` is given; at most 365',
  ),
};
const DAYS =
  'UTC days, by default the last 30; `startDate` and `endDate` stand for their days, both of them included. An end before the beginning, or more than 365 days, is a 422.';

const Day = z
  .object({
    date: z.iso.date(),
    sent: z.int(),
    delivered: z.int(),
    opens: z.int(),
    clicks: z.int(),
    bounces: z.int(),
    complaints: z.int(),
  })
  .meta({ id: 'AnalyticsDay' });

const rate = z.number().describe('A fraction of sentCount');

const TopCampaign = z
  .object({
    id: z.string(),
    name: z.string(),
    subject: z.string(),
    status: z.enum(CampaignStatuses),
    sentAt: Timestamp.nullable(),
    totalRecipients: z.int(),
    sentCount: z.int(),
    deliveredCount: z.int(),
    openedCount: z.int(),
    clickedCount: z.int(),
    bouncedCount: z.int(),
    openRate: rate,
    clickRate: rate,
  })
  .meta({ id: 'TopCampaign' });

const CampaignsSummary = z
  .object({
    total: z.int(),
    active: z.int().describe('SCHEDULED or SENDING'),
    completed: z.int().describe('SENT'),
    averageOpenRate: z
      .number()
      .describe('The mean of the completed campaigns that were sent to anybody, as a fraction'),
    averageClickRate: z.number().describe('Likewise'),
  })
  .meta({ id: 'CampaignsSummary' });

const TopEvent = z
  .object({
    name: z.string(),
    count: z.int(),
    trend: z
      .number()
      .describe(
        'Against as many days before, as a fraction of the count then: 0.5 is half as many again, -0.5 half as many; 1 where there were none before',
      ),
  })
  .meta({ id: 'TopEvent' });

const tags = ['Analytics'];

export const analyticsRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/analytics/timeseries',
    {
      schema: {
        tags,
        summary: 'What became of emails, day by day',
        description: `${DAYS} Every day is there, the oldest first. An email counts once in each column, on the day on which it was sent, delivered, first opened and so on, whenever the service heard of it.`,
        querystring: dateRangeQuery(DAYS_FIELDS),
        response: { 200: z.array(Day) },
      },
    },
    async ({ project, query }) =>
      timeseries(ctx, project.id, { from: query.startDate, until: query.endDate, days: query.days }),
  );

  app.get(
    '/analytics/top-campaigns',
    {
      schema: {
        tags,
        summary: 'The campaigns that most people have opened',
        description:
          'Those that were sent to anybody, most opens first; of all time, or those whose sending began between `startDate` and `endDate`.',
        querystring: dateRangeQuery({ limit: positiveInteger(10, 100) }),
        response: { 200: z.array(TopCampaign) },
      },
    },
    async ({ project, query }) =>
      topCampaigns(ctx, project.id, { from: query.startDate, until: query.endDate, limit: query.limit }),
  );

  app.get(
    '/analytics/campaign-stats',
    { schema: { tags, summary: 'All campaigns in numbers', response: { 200: CampaignsSummary } } },
    async ({ project }) => campaignsSummary(ctx, project.id),
  );

  app.get(
    '/analytics/top-events',
    {
      schema: {
        tags,
        summary: 'The most frequent events',
        description: `The service's own are among them. ${DAYS}`,
        querystring: dateRangeQuery({ ...DAYS_FIELDS, limit: positiveInteger(10, 100) }),
        response: { 200: z.array(TopEvent) },
      },
    },
    async ({ project, query }) =>
      topEvents(ctx, project.id, { from: query.startDate, until: query.endDate, days: query.days, limit: query.limit }),
  );
};
