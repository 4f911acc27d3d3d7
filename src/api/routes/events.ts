/** `POST /v1/track`, and events. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { MAX_DAYS } from '../../domain/analytics/days.js';
import { eventDays, eventNames, eventStats, listContactEvents, listEvents } from '../../domain/events/get.js';
import { createAcceptEvent, trackEvent } from '../../domain/events/track.js';
import { deleteEvents, eventUsage } from '../../domain/events/usage.js';
import { readIdempotencyKey } from '../../domain/idempotency/idempotency.js';
import {
  ContactData,
  CursorQuery,
  EmailAddress,
  EventName,
  Timestamp,
  cursorPage,
  dateRangeQuery,
  positiveInteger,
} from '../schemas.js';
import { withTypes } from '../typed.js';

const TrackBody = z.object({
  email: EmailAddress,
  event: EventName,
  subscribed: z.boolean().optional(),
  timezone: z
    .string()
    .optional()
    .describe('The IANA time zone of the contact, for example what `Intl` reports. An unknown one is ignored.'),
  data: ContactData.optional(),
});

const Tracked = z
  .object({
    contact: z.string().describe("The contact's id."),
    event: z.string().describe("The event's id."),
    timestamp: Timestamp,
  })
  .meta({ id: 'TrackedEvent' });

const Event = z
  .object({
    id: z.string(),
    name: z.string(),
    data: ContactData.describe('The data of the event, including one-time values.'),
    contactId: z.string().nullable(),
    contactEmail: z
      .string()
      .nullable()
      .optional()
      .describe('Only with `include=contact`: the current address of the contact. Null for events without a contact.'),
    emailId: z.string().nullable().describe('The email of `email.*` events.'),
    createdAt: Timestamp,
  })
  .meta({ id: 'Event' });

const EventDays = z
  .object({
    days: z.array(z.string()).describe('`2026-03-10`'),
    events: z
      .array(z.object({ name: z.string(), counts: z.array(z.int()).describe('One per day.') }))
      .describe('The most frequent name first.'),
  })
  .meta({ id: 'EventDays' });
const MAX_DAILY_NAMES = 1000;

const refs = z.array(z.object({ id: z.string(), name: z.string() }));

const Usage = z
  .object({
    usedInSegments: refs,
    usedInCampaigns: refs.describe('Campaigns that filter by this event and have not started sending.'),
    usedInWorkflows: refs.describe('Workflows that use the event in a trigger, wait, or condition.'),
    totalCount: z.int(),
    uniqueContacts: z.int(),
    canDelete: z.boolean().describe('True if the name is neither reserved nor in use.'),
  })
  .meta({ id: 'EventUsage' });

const NameParams = z.object({ eventName: z.string().trim() });

const TRACK_RULES =
  'Records the event and creates or updates the contact of the address, both or neither. `event` has 1 ' +
  'to 255 characters. `email.*`, `contact.subscribed`, `contact.unsubscribed`, `segment.<slug>.entry`, ' +
  '`segment.<slug>.exit`, and other types of webhooks (`GET /webhooks/types`) return 422 with the code ' +
  '`reserved_event`. Without `subscribed`, a new ' +
  'contact is subscribed and an existing one stays unchanged. `data` is merged into the contact under ' +
  'the rules of `POST /contacts`; `{ value, persistent: false }` is stored only with the event. With ' +
  'the header `Idempotency-Key`, a repeat returns 409 with the original response in its details.';

export const eventRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const acceptEvent = createAcceptEvent(ctx.pool);

  app.post(
    '/v1/track',
    {
      config: { auth: 'public' },
      schema: {
        tags: ['Public API'],
        summary: 'Track an event',
        description: TRACK_RULES,
        body: TrackBody,
        response: { 200: z.object({ success: z.literal(true), data: Tracked }) },
      },
    },
    async ({ project, body, headers }) => {
      const data = await trackEvent(ctx, acceptEvent, project.id, body, {
        name: 'POST /v1/track',
        idempotencyKey: readIdempotencyKey(headers['idempotency-key'], 'public'),
      });
      return { success: true as const, data };
    },
  );

  app.post(
    '/events/track',
    {
      schema: {
        tags: ['Events'],
        summary: 'Track an event',
        description: `\`POST /v1/track\` for the dashboard and for servers. ${TRACK_RULES}`,
        body: TrackBody,
        response: { 201: Tracked },
      },
    },
    async ({ project, body, headers }, reply) =>
      reply.code(201).send(
        await trackEvent(ctx, acceptEvent, project.id, body, {
          name: 'POST /events/track',
          idempotencyKey: readIdempotencyKey(headers['idempotency-key'], 'secret'),
        }),
      ),
  );

  app.get(
    '/events',
    {
      schema: {
        tags: ['Events'],
        summary: 'List events',
        description:
          'Tracked events and events that the service records, newest first. A cursor stays valid when events ' +
          'are added or deleted. It is null on the last page.',
        querystring: CursorQuery.extend({
          eventName: z.string().trim().optional(),
          include: z.literal('contact').optional().describe('Adds `contactEmail` to each event.'),
        }),
        response: { 200: cursorPage(Event) },
      },
    },
    async ({ project, query }) => listEvents(ctx, project.id, query),
  );

  app.get(
    '/events/stats',
    {
      schema: {
        tags: ['Events'],
        summary: 'Count events by name',
        description: 'Most frequent first, of all time or between `startDate` and `endDate`. At most 10,000 names.',
        querystring: dateRangeQuery({}),
        response: { 200: z.array(z.object({ name: z.string(), count: z.int() })) },
      },
    },
    async ({ project, query }) => eventStats(ctx, project.id, { from: query.startDate, until: query.endDate }),
  );

  app.get(
    '/events/days',
    {
      schema: {
        tags: ['Events'],
        summary: 'Count events by name and day',
        description: 'UTC days up to today, oldest first. Names without events on these days are left out.',
        querystring: z.object({
          days: positiveInteger(30, MAX_DAYS).describe('The number of days. At most 365.'),
          limit: positiveInteger(100, MAX_DAILY_NAMES).describe('The most frequent names of these days are returned.'),
        }),
        response: { 200: EventDays },
      },
    },
    async ({ project, query }) => eventDays(ctx, project.id, query),
  );

  app.get(
    '/events/contact/:contactId',
    {
      schema: {
        tags: ['Events'],
        summary: "List a contact's events",
        description: 'Newest first.',
        params: z.object({ contactId: z.string() }),
        querystring: CursorQuery,
        response: { 200: cursorPage(Event) },
      },
    },
    async ({ project, params, query }) => listContactEvents(ctx, project.id, params.contactId, query),
  );

  app.get(
    '/events/names',
    {
      schema: {
        tags: ['Events'],
        summary: 'List event names',
        description: 'Includes the names of events that the service records. In alphabetical order, at most 10,000.',
        response: { 200: z.object({ eventNames: z.array(z.string()) }) },
      },
    },
    async ({ project }) => ({ eventNames: await eventNames(ctx, project.id) }),
  );

  app.get(
    '/events/:eventName/usage',
    {
      schema: {
        tags: ['Events'],
        summary: 'Retrieve the usage of an event',
        description: 'The name is URL-encoded. An unknown name returns zeros.',
        params: NameParams,
        response: { 200: Usage },
      },
    },
    async ({ project, params }) => eventUsage(ctx, project.id, params.eventName),
  );

  // The router would match `contact`, encoded or not, with the list of a contact's events.
  app.get(
    '/events/contact/usage',
    {
      schema: {
        tags: ['Events'],
        summary: 'Retrieve the usage of the event named `contact`',
        response: { 200: Usage },
      },
    },
    async ({ project }) => eventUsage(ctx, project.id, 'contact'),
  );

  app.delete(
    '/events/:eventName',
    {
      schema: {
        tags: ['Events'],
        summary: 'Delete all events of a name',
        description:
          'The name is URL-encoded. Returns 409 for a reserved name, and for a name that a segment, campaign, ' +
          'or workflow uses (listed in `details`). Events that are tracked during the deletion may stay.',
        params: NameParams,
        response: { 200: z.object({ deletedCount: z.int() }) },
      },
    },
    async ({ project, params }) => deleteEvents(ctx, project.id, params.eventName),
  );
};
