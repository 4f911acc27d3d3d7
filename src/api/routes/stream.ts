/** The stream of a project's live updates (additions, section 1). */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { MAX_TOPICS, NAMED_TOPICS, parseTopic } from '../../domain/live/topics.js';
import { createCredentialCheck, openEventStream } from '../event-stream.js';
import { JobSchema } from '../job-schema.js';
import { IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';
import { Activity } from './activity.js';
import { Domain } from './domains.js';
import { Security } from './security.js';

/** Several topics are separated by commas, or the parameter is repeated. */
const Topics = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [...new Set([given].flat().flatMap((text) => text.split(',').map((topic) => topic.trim())))])
  .transform((names, context) =>
    names.flatMap((name) => {
      const topic = parseTopic(name);
      if (topic) return [topic];
      context.addIssue({
        code: 'custom',
        message: `"${name.slice(0, 50)}" is not a topic. Use ${NAMED_TOPICS.join(', ')}, or workflow:<id>.`,
      });
      return [];
    }),
  )
  .pipe(z.array(z.custom<NonNullable<ReturnType<typeof parseTopic>>>()).max(MAX_TOPICS));

const CampaignProgress = z
  .object({
    id: z.string(),
    status: z.enum(['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED']),
    totalRecipients: z.int(),
    sentCount: z.int(),
    failedCount: z.int(),
    pendingCount: z.int(),
    perSecond: z.number().describe('Emails sent per second in the last 5 seconds. 0 unless the campaign is sending.'),
    paused: z
      .object({ reason: z.enum(['retries']), until: Timestamp })
      .nullable()
      .describe('Set while only emails are left that wait for a retry: `until` is the time of the next one.'),
    secondsLeft: z
      .int()
      .nullable()
      .describe('Null if the campaign is not sending, if it is paused, or if its rate is not known.'),
  })
  .meta({ id: 'CampaignProgress' });

const WorkflowFigures = z
  .object({
    workflowId: z.string(),
    steps: z
      .record(z.string(), z.object({ waiting: z.int() }))
      .describe('By the id of the step: the number of executions that are at it.'),
  })
  .meta({ id: 'WorkflowFigures' });

/** The data of one message, by its topic (`event:`). */
const StreamMessage = z
  .union([
    z.object({ event: z.literal('activity'), id: z.string(), data: Activity }),
    z.object({ event: z.literal('campaigns'), data: CampaignProgress }),
    z.object({ event: z.literal('jobs'), data: JobSchema }),
    z.object({ event: z.literal('domains'), data: Domain }),
    z.object({ event: z.literal('reputation'), data: Security }),
    z.object({ event: z.string().describe('`workflow:<id>`'), data: WorkflowFigures }),
  ])
  .meta({ id: 'StreamMessage', description: 'A message. `data` is sent as JSON in one line.' });

const DESCRIPTION =
  'Server-sent events. A session needs no `X-Project-Id` here, so the `EventSource` of browsers can open it.\n\n' +
  'Topics: `activity` (entries of `GET /activity`), `campaigns` (progress of campaigns that are scheduled or sending, ' +
  'at most one message per campaign and second, and a final one), `jobs` (as `GET /jobs/:id`), `domains`, ' +
  '`reputation` (as `GET /projects/:id/security`), and `workflow:<id>` (executions at each step). All topics except ' +
  '`activity` first send their current state, including campaigns and jobs that ended in the last 10 minutes, and ' +
  'then what changes.\n\n' +
  'A change is sent within 1.5 s of its commit. The id of an activity message is a cursor: with `Last-Event-ID`, the ' +
  'stream continues after it, and no entry is missing or repeated. If more than 100 emails of campaigns were sent ' +
  'since the previous message, one entry stands for all of them: its `metadata.summary` is `{ count, from, until }`. ' +
  'A client that reads too slowly is disconnected and can resume.\n\n' +
  'A comment is sent every 15 s. Each user may have 6 and each project 50 open streams (429 with `Retry-After`). A stopping process ' +
  'ends its streams first; `retry` is 2,000 ms.';

export const streamRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/projects/:id/stream',
    {
      config: { projectFrom: 'path' },
      schema: {
        tags: ['Activity'],
        summary: 'Stream live updates',
        description: DESCRIPTION,
        params: IdParams,
        querystring: z.object({
          topics: Topics.describe(`Up to ${MAX_TOPICS} topics, separated by commas.`).meta({ examples: ['activity'] }),
        }),
        headers: z.object({
          'last-event-id': z.string().optional().describe('The id of the last activity message that was received.'),
        }),
        response: {
          200: {
            description: 'The stream.',
            content: { 'text/event-stream': { schema: StreamMessage } },
          },
        },
      },
    },
    async (request, reply) => {
      if (request.method === 'HEAD') return openEventStream(ctx, request, reply).end();
      const { project, account, query, headers } = request;
      const stream = await app.live.open({
        projectId: project.id,
        userId: account?.id ?? null,
        topics: query.topics,
        lastEventId: headers['last-event-id'],
        isAdmitted: createCredentialCheck(ctx, request),
        open: () => openEventStream(ctx, request, reply),
      });
      if (reply.raw.closed) stream.close();
      else reply.raw.once('close', () => stream.close());
    },
  );
};
