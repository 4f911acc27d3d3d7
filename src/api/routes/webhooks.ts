/** Webhook endpoints and their deliveries. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import {
  DELIVERY_STATUSES,
  getDelivery,
  listDeliveries,
  retryDelivery,
  sendTest,
} from '../../domain/webhooks/deliveries.js';
import {
  addEndpoint,
  changeEndpoint,
  getEndpoint,
  listEndpoints,
  MAX_ENDPOINTS,
  removeEndpoint,
  rotateSecret,
  type Endpoint,
} from '../../domain/webhooks/manage.js';
import { MAX_REPLAYED, previewReplay, requestReplay } from '../../domain/webhooks/replay.js';
import { MAX_COUNTED } from '../../domain/webhooks/sql/queue.js';
import { REPLAYED_STATUSES } from '../../domain/webhooks/sql/replay.js';
import { MAX_TYPES, WEBHOOK_TYPES } from '../../domain/webhooks/types.js';
import { MAX_URL_LENGTH } from '../../domain/webhooks/url.js';
import { MANAGERS, requireRole } from '../../domain/projects/access.js';
import { AcceptedJob } from '../job-schema.js';
import { CursorQuery, dateRangeEnds, IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const MAX_GRACE_HOURS = 168;

const count = z.int().describe('The number of deliveries.');

const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.string()).meta({ examples: [['email.*', 'order.placed']] }),
    enabled: z.boolean(),
    disabledReason: z.string().nullable().describe('Why the service has disabled it.'),
    failingSince: Timestamp.nullable().describe('The first failed attempt since the last success.'),
    pausedUntil: Timestamp.nullable().describe('Nothing is sent before.'),
    lastSuccessAt: Timestamp.nullable(),
    waiting: z.int().describe(`Deliveries that wait; ${MAX_COUNTED + 1} stands for more than ${MAX_COUNTED}.`),
    previousSecretExpiresAt: Timestamp.nullable().describe('Until then, the former secret signs too.'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Webhook' });

const toWebhook = ({ previousSecretUntil, ...endpoint }: Endpoint) => ({
  ...endpoint,
  previousSecretExpiresAt: previousSecretUntil,
});

const secret = z
  .string()
  .describe('The prefix `whsec_` and a base64 value. It is not shown again.')
  .meta({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] });

const url = z
  .string()
  .trim()
  .min(1)
  .max(MAX_URL_LENGTH)
  .meta({
    description:
      'Where the events are posted. It must begin with https://; http:// is accepted unless `NODE_ENV` is ' +
      '`production`. Private and local addresses are rejected, also when a name leads to one at the time of a delivery.',
    examples: ['https://example.com/hooks/sendloom'],
  });
const events = z
  .array(z.string().min(1))
  .min(1)
  .max(MAX_TYPES)
  .meta({
    description:
      'Types (`GET /webhooks/types`), names of own events, and patterns: `email.*` and so on for all types with this ' +
      'beginning, `custom.*` for all own events, and `*` for everything.',
    examples: [['email.bounced', 'email.complained', 'contact.*']],
  });
const description = z.string().max(500);
const enabled = z.boolean();

const CreateBody = z.object({ url, events, description: description.default(''), enabled: enabled.default(true) });
const UpdateBody = z.object({
  url: url.optional(),
  events: events.optional(),
  description: description.optional(),
  enabled: enabled.optional().describe('Enabling forgets failures and delivers what waits.'),
});

const Delivery = z
  .object({
    id: z
      .string()
      .describe('The id of the event, and the header `webhook-id`: the same for every endpoint and attempt.'),
    type: z.string().meta({ examples: ['email.bounced'] }),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe('FAILED: after the last attempt. DISCARDED: the event no longer exists, such as of a deleted contact.'),
    attempts: z.int().describe('Since it was put into the queue.'),
    nextAttemptAt: Timestamp.nullable().describe('Set while it is PENDING.'),
    updatedAt: Timestamp,
    lastStatusCode: z.int().nullable(),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

const DeliveryDetails = Delivery.extend({
  request: z
    .object({ headers: z.record(z.string(), z.string()), body: z.string() })
    .nullable()
    .describe('What an attempt sends now. Null if the event no longer exists.'),
  log: z
    .array(
      z.object({
        at: Timestamp,
        durationMs: z.int(),
        statusCode: z.int().nullable(),
        response: z.string().nullable().describe('The first 4 KiB of the body.'),
        error: z.string().nullable(),
      }),
    )
    .describe('The last 20 attempts.'),
}).meta({ id: 'WebhookDeliveryDetails' });

const DeliveryParams = z.object({ id: z.string(), deliveryId: z.string() });

const tags = ['Webhooks'];

export const webhookRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  /** API keys may do everything: they have no user. */
  const requireManager = async (projectId: string, userId: string | undefined): Promise<void> => {
    if (userId !== undefined) await requireRole(ctx, userId, projectId, MANAGERS);
  };

  app.get(
    '/webhooks',
    {
      schema: {
        tags,
        summary: 'List webhook endpoints',
        description: 'Returns all of them, newest first.',
        response: { 200: z.object({ data: z.array(Webhook) }) },
      },
    },
    async ({ project }) => ({ data: (await listEndpoints(ctx, project.id)).map(toWebhook) }),
  );

  app.get(
    '/webhooks/types',
    {
      schema: {
        tags,
        summary: 'List the types of webhooks',
        description: 'Each type with the JSON Schema of its `data` and an example of the whole body.',
        response: {
          200: z.object({
            data: z.array(
              z
                .object({
                  type: z.string(),
                  description: z.string(),
                  schema: z.record(z.string(), z.unknown()),
                  example: z.object({
                    type: z.string(),
                    timestamp: z.string(),
                    data: z.record(z.string(), z.unknown()),
                  }),
                })
                .meta({ id: 'WebhookType' }),
            ),
          }),
        },
      },
    },
    async () => ({ data: [...WEBHOOK_TYPES] }),
  );

  app.post(
    '/webhooks',
    {
      schema: {
        tags,
        summary: 'Add a webhook endpoint',
        description:
          'From now on, the chosen events are posted to the URL, signed as in the Standard Webhooks specification. ' +
          `Returns the secret, which is not shown again. Returns 409 if the project has ${MAX_ENDPOINTS} endpoints. ` +
          'Sessions require the role OWNER or ADMIN.',
        body: CreateBody,
        response: { 201: Webhook.extend({ secret }).meta({ id: 'WebhookWithSecret' }) },
      },
    },
    async ({ project, account, body }, reply) => {
      await requireManager(project.id, account?.id);
      const { secret: created, ...endpoint } = await addEndpoint(ctx, project.id, body);
      void reply.header('Cache-Control', 'no-store');
      return reply.code(201).send({ ...toWebhook(endpoint), secret: created });
    },
  );

  app.get(
    '/webhooks/:id',
    { schema: { tags, summary: 'Retrieve a webhook endpoint', params: IdParams, response: { 200: Webhook } } },
    async ({ project, params }) => toWebhook(await getEndpoint(ctx, project.id, params.id)),
  );

  app.patch(
    '/webhooks/:id',
    {
      schema: {
        tags,
        summary: 'Update a webhook endpoint',
        description:
          'Changes only the given fields. What waits is sent to a new URL. Sessions require the role OWNER or ADMIN.',
        params: IdParams,
        body: UpdateBody,
        response: { 200: Webhook },
      },
    },
    async ({ project, account, params, body }) => {
      await requireManager(project.id, account?.id);
      return toWebhook(await changeEndpoint(ctx, project.id, params.id, body));
    },
  );

  app.delete(
    '/webhooks/:id',
    {
      schema: {
        tags,
        summary: 'Delete a webhook endpoint',
        description: 'What waits for it is discarded. Sessions require the role OWNER or ADMIN.',
        params: IdParams,
        response: { 204: z.null() },
      },
    },
    async ({ project, account, params }, reply) => {
      await requireManager(project.id, account?.id);
      await removeEndpoint(ctx, project.id, params.id);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/webhooks/:id/rotate-secret',
    {
      schema: {
        tags,
        summary: 'Create a new secret of a webhook endpoint',
        description:
          'Until the former secret expires, each delivery has a signature by each of the two. Sessions require the ' +
          'role OWNER or ADMIN.',
        params: IdParams,
        body: z.object({
          graceHours: z.int().min(0).max(MAX_GRACE_HOURS).default(24).describe('How long the former secret signs too.'),
        }),
        response: { 200: z.object({ secret, previousSecretExpiresAt: Timestamp }) },
      },
    },
    async ({ project, account, params, body }, reply) => {
      await requireManager(project.id, account?.id);
      const rotated = await rotateSecret(ctx, project.id, params.id, body.graceHours);
      void reply.header('Cache-Control', 'no-store');
      return { secret: rotated.secret, previousSecretExpiresAt: rotated.previousSecretUntil };
    },
  );

  app.post(
    '/webhooks/:id/test',
    {
      schema: {
        tags,
        summary: 'Send a test to a webhook endpoint',
        description:
          'Sends the example of a type, or of an own event, to this endpoint only. Returns 409 if it is disabled. ' +
          'Sessions require the role OWNER or ADMIN.',
        params: IdParams,
        body: z.object({
          type: z
            .string()
            .min(1)
            .max(255)
            .meta({ examples: ['email.bounced'] }),
        }),
        response: { 202: z.object({ deliveryId: z.string() }) },
      },
    },
    async ({ project, account, params, body }, reply) => {
      await requireManager(project.id, account?.id);
      return reply.code(202).send({ deliveryId: await sendTest(ctx, project.id, params.id, body.type) });
    },
  );

  app.get(
    '/webhooks/:id/deliveries',
    {
      schema: {
        tags,
        summary: 'List the deliveries of a webhook endpoint',
        description:
          'Returns the newest events first. Deliveries are kept for `WEBHOOK_DELIVERY_DAYS` (30) after their last attempt.',
        params: IdParams,
        querystring: CursorQuery.extend({
          status: z.enum(DELIVERY_STATUSES).optional(),
          type: z.string().max(255).optional(),
          since: dateRangeEnds.first.optional().describe('Only events of this ISO 8601 date or timestamp, or later.'),
        }),
        response: {
          200: z.object({ data: z.array(Delivery), cursor: z.string().nullable(), hasMore: z.boolean() }),
        },
      },
    },
    async ({ project, params, query }) => listDeliveries(ctx, project.id, params.id, query),
  );

  app.get(
    '/webhooks/:id/deliveries/:deliveryId',
    {
      schema: {
        tags,
        summary: 'Retrieve a delivery',
        description: 'With the request and its attempts.',
        params: DeliveryParams,
        response: { 200: DeliveryDetails },
      },
    },
    async ({ project, params }) => getDelivery(ctx, project.id, params.id, params.deliveryId),
  );

  app.post(
    '/webhooks/:id/deliveries/:deliveryId/retry',
    {
      schema: {
        tags,
        summary: 'Repeat a delivery',
        description:
          'Sends it again under the same id. Its status does not matter. Sessions require the role OWNER or ADMIN.',
        params: DeliveryParams,
        response: { 202: Delivery },
      },
    },
    async ({ project, account, params }, reply) => {
      await requireManager(project.id, account?.id);
      return reply.code(202).send(await retryDelivery(ctx, project.id, params.id, params.deliveryId));
    },
  );

  app.post(
    '/webhooks/:id/replay',
    {
      schema: {
        tags,
        summary: 'Replay the events of a time range',
        description:
          'FAILED repeats failed deliveries; ALL sends all events that the endpoint wants, also those from before it ' +
          'existed or while it was disabled, but no tests. Their ids stay the same. Events of deleted contacts, and those that ' +
          `retention has deleted, are not sent. At most ${MAX_REPLAYED} deliveries. With \`dryRun\`, it only counts ` +
          'them, and returns 200. Otherwise it returns the id of the job that puts them into the queue of the endpoint, ' +
          'or 409 while another one does. Sessions require the role OWNER or ADMIN.',
        params: IdParams,
        body: z.object({
          since: z.iso.datetime({ offset: true }),
          until: z.iso.datetime({ offset: true }).optional().describe('Not included. Default: now.'),
          types: z
            .array(z.string().min(1))
            .min(1)
            .max(MAX_TYPES)
            .optional()
            .describe('Types and patterns. Default: all that the endpoint wants.'),
          status: z.enum(REPLAYED_STATUSES).default('FAILED'),
          dryRun: z.boolean().default(false),
        }),
        response: {
          200: z.object({ count }).describe('Of a dry run.'),
          202: z.object({ ...AcceptedJob.shape, count }),
        },
      },
    },
    async ({ project, account, params, body }, reply) => {
      await requireManager(project.id, account?.id);
      const { dryRun, since, until, ...rest } = body;
      const replay = { ...rest, since: new Date(since), until: until === undefined ? undefined : new Date(until) };
      if (dryRun) return { count: await previewReplay(ctx, project.id, params.id, replay) };
      const job = await requestReplay(ctx, project.id, params.id, replay, account?.id ?? null);
      return reply.code(202).send({ message: 'The deliveries are being queued', ...job });
    },
  );
};
