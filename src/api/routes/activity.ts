/** The feed of what happened and what is going to, and its figures. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { countRecentActivity, listActivity, listUpcoming } from '../../domain/activity/feed.js';
import { ACTIVITY_TYPES } from '../../domain/activity/types.js';
import { activityStats } from '../../domain/analytics/analytics.js';
import { CursorQuery, Timestamp, cursorPage, dateRangeQuery, positiveInteger } from '../schemas.js';
import { withTypes } from '../typed.js';

/** Several by commas, or by repeating the parameter; nothing is no filter. */
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

const Activity = z
  .object({
    id: z.string(),
    type: z.string(),
    timestamp: Timestamp,
    contactId: z.string().nullable(),
    contactEmail: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Activity' });

const rate = z.number().describe('A fraction of totalEmailsSent; 0 when nothing was sent');

const ActivityStats = z
  .object({
    totalEvents: z.int().describe("All events, the service's own among them"),
    totalEmailsSent: z.int(),
    totalEmailsOpened: z.int().describe('Emails that somebody opened, each once'),
    totalEmailsClicked: z.int().describe('Emails in which somebody clicked, each once'),
    totalWorkflowsStarted: z.int().describe('Executions that began'),
    openRate: rate,
    clickRate: rate,
  })
  .meta({ id: 'ActivityStats' });

const METADATA =
  'Of `email.*`: `emailId`, `subject`, `source`, `campaignId`, `templateId`, `occurredAt` (when it happened, where `timestamp` is when the service took note of it), of a click `url`, of a bounce `bounceType` and `reason`. ' +
  'Of `event.tracked`, `contact.*` and `segment.*`: `eventName` and `data`. Of `workflow.started`: `executionId`, `workflowId`, `workflowName`. Of `campaign.sent`: `campaignId`, `campaignName`, `totalRecipients`.';

const tags = ['Activity'];

export const activityRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/activity',
    {
      schema: {
        tags,
        summary: 'What happened, newest first',
        description: `Emails, events, starts of workflows and sent campaigns in one list. A cursor stays valid when something is added or deleted; it is null on the last page. \`metadata\` depends on the type. ${METADATA}`,
        querystring: dateRangeQuery({
          ...CursorQuery.shape,
          types: Types.describe('One or several, separated by commas; see `GET /activity/types`'),
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
        summary: 'Figures of emails, events and workflows',
        description:
          'Of all time, or of the UTC days from that of `startDate` to that of `endDate`. Emails count on the day on which they were sent, opened or clicked, whenever the service heard of it.',
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
        summary: 'How much happened in the last minutes',
        querystring: z.object({ minutes: positiveInteger(5, 1440).describe('At most 1,440: a day') }),
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
        summary: 'The types of activity',
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
        summary: 'What is going to happen, the soonest first',
        description:
          'Scheduled campaigns (`campaign.scheduled`) and executions that sleep or wait until a time (`workflow.waiting`); `timestamp` is when. What is late is still in it. Of `campaign.scheduled` the metadata has `campaignId`, `campaignName`, `subject`; ' +
          'of `workflow.waiting` `executionId`, `workflowId`, `workflowName`, `stepType`, `stepName` and `waitingFor`, the event that may end the wait before.',
        querystring: z.object({ limit: positiveInteger(20, 100), daysAhead: positiveInteger(30, 3650) }),
        response: { 200: z.object({ activities: z.array(Activity) }) },
      },
    },
    async ({ project, query }) => ({ activities: await listUpcoming(ctx, project.id, query) }),
  );
};
