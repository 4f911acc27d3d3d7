/** The activity feed and its figures. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { countRecentActivity, listActivity, listUpcoming } from '../../domain/activity/feed.js';
import { ACTIVITY_TYPES } from '../../domain/activity/types.js';
import { activityStats } from '../../domain/analytics/analytics.js';
import { CursorQuery, Timestamp, cursorPage, dateRangeQuery, positiveInteger } from '../schemas.js';
import { withTypes } from '../typed.js';

/** Several values are separated by commas, or the parameter is repeated. An empty value does not filter. */
const Types = z
  .union([z.string(), z.array(z.string())])
  .transform((given) =>
    [given]
      .flat()
      .flatMap((text) => text.split(','))
      .map((text) => text.trim())
      .filter((text) => text !== ''),
  )
  .pipe(z.array(z.enum(ACTIVITY_TYPES)))
  .transform((types) => (types.length === 0 ? undefined : types))
  .optional();

export const Activity = z
  .object({
    id: z.string(),
    type: z.string(),
    timestamp: Timestamp,
    contactId: z.string().nullable(),
    contactEmail: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Activity' });

const rate = z.number().describe('A fraction of `totalEmailsSent`. 0 if nothing was sent.');

const ActivityStats = z
  .object({
    totalEvents: z.int().describe('All events, including those that the service records.'),
    totalEmailsSent: z.int(),
    totalEmailsOpened: z.int().describe('Emails that were opened at least once.'),
    totalEmailsClicked: z.int().describe('Emails with at least one click.'),
    totalWorkflowsStarted: z.int().describe('Executions that started.'),
    openRate: rate,
    clickRate: rate,
  })
  .meta({ id: 'ActivityStats' });

const METADATA =
  '`email.*`: `emailId`, `subject`, `source`, `campaignId`, `templateId`, and `occurredAt` (the time ' +
  'at which it happened; `timestamp` is the time at which the service learned of it). Clicks also have ' +
  '`url`, bounces `bounceType` and `reason`. `event.tracked`, `contact.*`, and `segment.*`: ' +
  '`eventName` and `data`. `workflow.started`: `executionId`, `workflowId`, and `workflowName`. ' +
  '`campaign.sent`: `campaignId`, `campaignName`, and `totalRecipients`.';

const tags = ['Activity'];

export const activityRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/activity',
    {
      schema: {
        tags,
        summary: 'List activities',
        description:
          'Emails, events, workflow starts, and sent campaigns in one list, newest first. A cursor stays valid ' +
          'when entries are added or deleted. It is null on the last page. `metadata` depends on the type. ' +
          METADATA,
        querystring: dateRangeQuery({
          ...CursorQuery.shape,
          types: Types.describe('One or more types, separated by commas. See `GET /activity/types`.'),
          contactId: z.string().optional(),
        }),
        response: { 200: cursorPage(Activity) },
      },
    },
    async ({ project, query: { startDate, endDate, ...query } }) =>
      listActivity(ctx, project.id, { ...query, from: startDate, until: endDate }),
  );

  app.get(
    '/activity/stats',
    {
      schema: {
        tags,
        summary: 'Retrieve activity figures',
        description:
          'Covers all time, or the UTC days from `startDate` to `endDate`. Emails count on the day on which ' +
          'they were sent, opened, or clicked, even if the service learned of it later.',
        querystring: dateRangeQuery({}),
        response: { 200: ActivityStats },
      },
    },
    async ({ project, query }) => activityStats(ctx, project.id, { from: query.startDate, until: query.endDate }),
  );

  app.get(
    '/activity/recent-count',
    {
      schema: {
        tags,
        summary: 'Count recent activities',
        querystring: z.object({ minutes: positiveInteger(5, 1440).describe('At most 1,440 (one day).') }),
        response: { 200: z.object({ count: z.int(), minutes: z.int() }) },
      },
    },
    async ({ project, query }) => countRecentActivity(ctx, project.id, query.minutes),
  );

  app.get(
    '/activity/types',
    {
      schema: {
        tags,
        summary: 'List the activity types',
        response: { 200: z.object({ types: z.array(z.enum(ACTIVITY_TYPES)) }) },
      },
    },
    async () => ({ types: [...ACTIVITY_TYPES] }),
  );

  app.get(
    '/activity/upcoming',
    {
      schema: {
        tags,
        summary: 'List upcoming activities',
        description:
          'Scheduled campaigns (`campaign.scheduled`) and executions that sleep or wait until a time ' +
          '(`workflow.waiting`), the soonest first. `timestamp` is the due time. Overdue entries are included. ' +
          'The metadata of `campaign.scheduled` has `campaignId`, `campaignName`, and `subject`. The metadata ' +
          'of `workflow.waiting` has `executionId`, `workflowId`, `workflowName`, `stepType`, `stepName`, and ' +
          '`waitingFor`, the event that may end the wait earlier.',
        querystring: z.object({ limit: positiveInteger(20, 100), daysAhead: positiveInteger(30, 3650) }),
        response: { 200: z.object({ activities: z.array(Activity) }) },
      },
    },
    async ({ project, query }) => ({ activities: await listUpcoming(ctx, project.id, query) }),
  );
};
