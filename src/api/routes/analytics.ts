/** Analytics. */
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
    'The number of days up to `endDate` or today, if `startDate` is not given. At most 365.',
  ),
};
const DAYS =
  'Covers UTC days, by default the last 30. `startDate` and `endDate` are inclusive. An end before the ' +
  'start, or more than 365 days, returns 422.';

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

const rate = z.number().describe('A fraction of `sentCount`.');

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
    active: z.int().describe('Campaigns that are SCHEDULED or SENDING.'),
    completed: z.int().describe('Campaigns that are SENT.'),
    averageOpenRate: z
      .number()
      .describe('The mean over completed campaigns with at least one recipient, as a fraction.'),
    averageClickRate: z
      .number()
      .describe('The mean over completed campaigns with at least one recipient, as a fraction.'),
  })
  .meta({ id: 'CampaignsSummary' });

const TopEvent = z
  .object({
    name: z.string(),
    count: z.int(),
    trend: z
      .number()
      .describe(
        'The change from the same number of days before, as a fraction of that count: 0.5 is 50% more, -0.5 ' +
          'is 50% less. 1 if the count before was 0.',
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
        summary: 'Retrieve daily email figures',
        description:
          `${DAYS} Every day is listed, oldest first. An email counts once per column, on the day on which it ` +
          'was sent, delivered, first opened, and so on, even if the service learned of it later.',
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
        summary: 'List the top campaigns',
        description:
          'Campaigns with at least one recipient, most opens first: of all time, or those whose sending ' +
          'started between `startDate` and `endDate`.',
        querystring: dateRangeQuery({ limit: positiveInteger(10, 100) }),
        response: { 200: z.array(TopCampaign) },
      },
    },
    async ({ project, query }) =>
      topCampaigns(ctx, project.id, { from: query.startDate, until: query.endDate, limit: query.limit }),
  );

  app.get(
    '/analytics/campaign-stats',
    { schema: { tags, summary: 'Retrieve campaign figures', response: { 200: CampaignsSummary } } },
    async ({ project }) => campaignsSummary(ctx, project.id),
  );

  app.get(
    '/analytics/top-events',
    {
      schema: {
        tags,
        summary: 'List the top events',
        description: `The most frequent events, including those that the service records. ${DAYS}`,
        querystring: dateRangeQuery({ ...DAYS_FIELDS, limit: positiveInteger(10, 100) }),
        response: { 200: z.array(TopEvent) },
      },
    },
    async ({ project, query }) =>
      topEvents(ctx, project.id, { from: query.startDate, until: query.endDate, days: query.days, limit: query.limit }),
  );
};
