/** Analytics. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { campaignsSummary, topCampaigns, topEvents } from '../../domain/analytics/analytics.js';
import { MAX_DAYS } from '../../domain/analytics/days.js';
import { DIMENSIONS } from '../../domain/analytics/sql/email-figures.js';
import { contactGrowth, MAX_GROUPS, MAX_HOURLY_DAYS, timeseries } from '../../domain/analytics/timeseries.js';
import { CampaignStatus as CampaignStatuses } from '../../generated/prisma/enums.js';
import { DateOrTimestamp, Timestamp, Timezone, dateRangeQuery, positiveInteger } from '../schemas.js';
import { withTypes } from '../typed.js';

const DAYS_FIELDS = {
  days: positiveInteger(30, MAX_DAYS).describe(
    'The number of days up to `endDate` or today, if `startDate` is not given. At most 365.',
  ),
};
const DAYS =
  'Covers UTC days, by default the last 30. `startDate` and `endDate` are inclusive. An end before the ' +
  'start, or more than 365 days, returns 422.';

/** Days of a time zone. Unlike those of `dateRangeQuery`, a date is a local day. */
const LOCAL_DAYS_FIELDS = {
  ...DAYS_FIELDS,
  startDate: DateOrTimestamp.optional().describe('The first day: an ISO 8601 date, or a timestamp in it.'),
  endDate: DateOrTimestamp.optional().describe('The last day: an ISO 8601 date, or a timestamp in it.'),
  timezone: Timezone,
};

const Figures = z
  .object({
    sent: z.int(),
    delivered: z.int(),
    opens: z.int().describe('Emails that a person opened.'),
    clicks: z.int().describe('Emails in which a person clicked a link.'),
    bounces: z.int(),
    complaints: z.int(),
    unsubscribes: z.int().describe('Emails by whose links the recipient unsubscribed.'),
    machineOpens: z.int().describe('Emails that a scanner, prefetcher, or proxy opened.'),
    machineClicks: z.int().describe('Emails in which a scanner clicked a link.'),
  })
  .meta({ id: 'EmailFigures' });

const Point = Figures.extend({
  at: Timestamp.describe('The start of the day or hour.'),
  date: z.iso.date().describe('The local day.'),
  group: z
    .object({
      key: z.string().nullable().describe('Null for all emails that are in none of the other groups.'),
      name: z.string().nullable().describe('The name of the campaign, template, or workflow. Otherwise the key.'),
    })
    .nullable()
    .describe('Null without `groupBy`.'),
  previous: Figures.nullable().describe('The same day or hour of the preceding period. Null without `compare`.'),
}).meta({ id: 'AnalyticsPoint' });

const ContactGrowth = z
  .object({
    date: z.iso.date(),
    created: z.int().describe('Existing contacts that were created on the day.'),
    subscribed: z.int().describe('Changes of existing contacts to subscribed.'),
    unsubscribed: z.int().describe('Changes of existing contacts to unsubscribed.'),
    total: z.int().describe('Existing contacts that were created until the end of the day.'),
  })
  .meta({ id: 'ContactGrowth' });

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

export const analyticsRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/analytics/timeseries',
    {
      schema: {
        tags,
        summary: 'Retrieve email figures over time',
        description:
          'Covers days of `timezone`, by default the last 30 and at most 365. `startDate` and `endDate` are ' +
          'inclusive. Every day or hour is listed, oldest first. An email counts once per column, when it was sent, ' +
          'delivered, first opened, and so on, even if the service learned of it later. With `groupBy`, each day or ' +
          `hour has one entry for each of the ${MAX_GROUPS} groups with the most emails sent in the range, and one ` +
          'for all other emails.',
        querystring: z.object({
          ...LOCAL_DAYS_FIELDS,
          interval: z.enum(['hour', 'day']).default('day').describe(`With \`hour\`, at most ${MAX_HOURLY_DAYS} days.`),
          groupBy: z.enum(DIMENSIONS).optional(),
          compare: z
            .literal('previous')
            .optional()
            .describe('Adds the figures of the preceding period with the same number of days.'),
        }),
        response: { 200: z.array(Point) },
      },
    },
    async ({ project, query }) => timeseries(ctx, project.id, query),
  );

  app.get(
    '/analytics/contacts',
    {
      schema: {
        tags,
        summary: 'Retrieve the growth of contacts',
        description:
          'Covers days of `timezone`, by default the last 30 and at most 365, oldest first. Deleted contacts are not ' +
          'counted.',
        querystring: z.object(LOCAL_DAYS_FIELDS),
        response: { 200: z.array(ContactGrowth) },
      },
    },
    async ({ project, query }) => contactGrowth(ctx, project.id, query),
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
