/** Campaigns: content, sending, results. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { previewAudience } from '../../domain/campaigns/audience.js';
import {
  CAMPAIGN_STATUSES,
  createCampaign,
  deleteCampaign,
  duplicateCampaign,
  getCampaign,
  listCampaigns,
  replaceCampaign,
} from '../../domain/campaigns/manage.js';
import { listRecipients } from '../../domain/campaigns/recipients.js';
import { cancelCampaign, sendCampaign, sendTest } from '../../domain/campaigns/send.js';
import { getCampaignStats } from '../../domain/campaigns/stats.js';
import { EmailStatus } from '../../generated/prisma/enums.js';
import { ConditionTree } from '../condition-schema.js';
import { CursorQuery, EmailAddress, EmailType, Subject, Timestamp, cursorPage, page, pageQuery } from '../schemas.js';
import { withTypes } from '../typed.js';

const Uuid = z.guid('must be a uuid');
const CampaignParams = z.object({ id: Uuid });
const CampaignStatus = z.enum(CAMPAIGN_STATUSES);
const AudienceType = z.enum(['ALL', 'SEGMENT', 'FILTERED']);

const counter = z.int();

const Campaign = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    subject: z.string(),
    body: z.string(),
    from: z.string(),
    fromName: z.string().nullable(),
    replyTo: z.string().nullable(),
    type: EmailType,
    status: CampaignStatus,
    audienceType: AudienceType,
    segmentId: z.string().nullable(),
    audienceCondition: z.record(z.string(), z.unknown()).nullable(),
    templateId: z.string().nullable().describe('The template that it was made from'),
    scheduledFor: Timestamp.nullable(),
    sentAt: Timestamp.nullable().describe('When the last recipient was done'),
    totalRecipients: counter.describe('Recipients of the snapshot that is taken when sending starts'),
    sentCount: counter,
    deliveredCount: counter,
    openedCount: counter,
    clickedCount: counter,
    bouncedCount: counter,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Campaign' });

const CampaignBody = z.object({
  name: z.string().trim().min(1),
  description: z.string().nullish(),
  subject: Subject.optional().describe('Required without `templateId`'),
  body: z
    .string()
    .min(1)
    .optional()
    .describe('HTML, with `{{ variable }}` placeholders. Required without `templateId`'),
  from: EmailAddress.optional().describe('Required without `templateId`. Its domain must be verified'),
  fromName: z
    .string()
    .max(320)
    .regex(/^[^\r\n]*$/, 'must not contain newline characters')
    .nullish(),
  replyTo: EmailAddress.nullish(),
  type: EmailType.optional().describe("MARKETING, or the template's, when left out"),
  audienceType: AudienceType,
  segmentId: Uuid.nullish().describe('Required when `audienceType` is SEGMENT, otherwise ignored'),
  audienceCondition: ConditionTree.nullish().describe('Required when `audienceType` is FILTERED, otherwise ignored'),
  templateId: Uuid.nullish().describe(
    'A template that fills what of subject, body, from, fromName, replyTo and type is left out',
  ),
});

const AudienceBody = CampaignBody.pick({ audienceType: true, segmentId: true, audienceCondition: true }).extend({
  type: EmailType.default('MARKETING'),
});

const AudiencePreview = z
  .object({
    matched: z.int().describe('Contacts of the audience'),
    unsubscribed: z.int().describe('Those of them that are not subscribed'),
    willSend: z.int().describe('Those that a campaign of this type would be sent to'),
  })
  .meta({ id: 'AudiencePreview' });

const ListQuery = pageQuery(['createdAt', 'name', 'updatedAt']).extend({
  status: z
    .string()
    .optional()
    .meta({ enum: [...CAMPAIGN_STATUSES] })
    .describe('Any other value is a 400'),
});

const SendBody = z.object({
  scheduledFor: z
    .string()
    .nullish()
    .describe(
      "When to send; left out or null: now. Any date that JavaScript's `Date` reads, in UTC where it carries no zone. No date, or one in the past: 400",
    ),
});

const SendReply = z.object({
  success: z.literal(true),
  data: z.object({ id: z.string(), name: z.string(), status: CampaignStatus, scheduledFor: Timestamp.nullable() }),
  message: z.string(),
});

const rate = z.number().describe('A fraction of sentCount; 0 when nothing was sent');

const CampaignStats = z
  .object({
    totalRecipients: counter,
    sentCount: counter,
    deliveredCount: counter,
    openedCount: counter,
    clickedCount: counter,
    bouncedCount: counter,
    complainedCount: counter,
    unsubscribedCount: counter.describe('Recipients who used the unsubscribe link, the preferences page or one-click'),
    failedCount: counter,
    pendingCount: counter.describe('Still to be handed over'),
    cancelledCount: counter.describe(
      'Cancelled with the campaign, or because the contact unsubscribed before it was their turn',
    ),
    deliveryRate: rate,
    openRate: rate,
    clickRate: rate,
    bounceRate: rate,
  })
  .meta({ id: 'CampaignStats' });

const Recipient = z
  .object({
    emailId: z.string().describe('See `GET /emails/:id`'),
    contactId: z.string().nullable().describe('null when the contact was deleted'),
    email: z.string().describe('The address as it was when the campaign began'),
    status: z.enum(EmailStatus),
    attempts: z.int(),
    error: z.string().nullable(),
    bounceType: z.string().nullable().describe('`permanent` or `transient`'),
    bounceReason: z.string().nullable(),
    opens: z.int(),
    clicks: z.int(),
    createdAt: Timestamp,
    sentAt: Timestamp.nullable(),
    deliveredAt: Timestamp.nullable(),
    openedAt: Timestamp.nullable(),
    clickedAt: Timestamp.nullable(),
    bouncedAt: Timestamp.nullable(),
    complainedAt: Timestamp.nullable(),
  })
  .meta({ id: 'CampaignRecipient' });

const tags = ['Campaigns'];
const MALFORMED = 'A malformed uuid in the path is a 422; an unknown campaign and one of another project are a 404.';

export const campaignRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/campaigns',
    {
      schema: {
        tags,
        summary: 'List campaigns',
        description:
          '`search` looks in name, subject and sender address, in any case. An unrecognised `sort` or `dir` falls back to createdAt and desc. The counters of a campaign that has ended are those of its end.',
        querystring: ListQuery,
        response: { 200: page(Campaign) },
      },
    },
    async ({ project, query }) => listCampaigns(ctx, project.id, query),
  );

  app.post(
    '/campaigns',
    {
      schema: {
        tags,
        summary: 'Create a campaign',
        description:
          'A draft. Of `segmentId` and `audienceCondition` only the one that the audience type uses is kept. An unverified sender domain is a 403; a segment or template that is not there a 404; a condition that breaks a rule a 422 that names each place in it, one that names a segment that is not there a 400.',
        body: CampaignBody,
        response: { 201: z.object({ success: z.literal(true), data: Campaign }) },
      },
    },
    async ({ project, body }, reply) =>
      reply.code(201).send({ success: true, data: await createCampaign(ctx, project.id, body) }),
  );

  app.post(
    '/campaigns/audience',
    {
      config: { effect: 'read' },
      schema: {
        tags,
        summary: 'See whom an audience reaches',
        description:
          'Counts by the rules of sending, and sends nothing: MARKETING and HEADLESS reach the subscribed contacts whose address is not suppressed, TRANSACTIONAL all.',
        body: AudienceBody,
        response: { 200: AudiencePreview },
      },
    },
    async ({ project, body }) => previewAudience(ctx, project.id, body),
  );

  app.get(
    '/campaigns/:id',
    {
      schema: {
        tags,
        summary: 'One campaign',
        description: `Its counters are of this moment. ${MALFORMED}`,
        params: CampaignParams,
        response: { 200: Campaign },
      },
    },
    async ({ project, params }) => getCampaign(ctx, project.id, params.id),
  );

  app.put(
    '/campaigns/:id',
    {
      schema: {
        tags,
        summary: 'Replace a campaign',
        description:
          'DRAFT and SCHEDULED only, otherwise 409. The same fields are required as for a new one; what is left out becomes null or its default. A scheduled campaign keeps its date.',
        params: CampaignParams,
        body: CampaignBody,
        response: { 200: Campaign },
      },
    },
    async ({ project, params, body }) => replaceCampaign(ctx, project.id, params.id, body),
  );

  app.delete(
    '/campaigns/:id',
    {
      schema: {
        tags,
        summary: 'Delete a campaign',
        description:
          '409 while it is SCHEDULED or SENDING, and while its last emails are being handed over after a cancellation. Its emails stay in the log.',
        params: CampaignParams,
        response: { 204: z.null().describe('Deleted') },
      },
    },
    async ({ project, params }, reply) => {
      await deleteCampaign(ctx, project.id, params.id);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/campaigns/:id/duplicate',
    {
      schema: {
        tags,
        summary: 'Duplicate a campaign',
        description: 'A new draft with the same content and audience, named "… (copy)".',
        params: CampaignParams,
        response: { 201: Campaign },
      },
    },
    async ({ project, params }, reply) => reply.code(201).send(await duplicateCampaign(ctx, project.id, params.id)),
  );

  app.post(
    '/campaigns/:id/send',
    {
      schema: {
        tags,
        summary: 'Send a campaign, now or at a date',
        description:
          'DRAFT and SCHEDULED only, otherwise 409; a new date replaces the old one. MARKETING and HEADLESS reach subscribed contacts whose address is not suppressed, TRANSACTIONAL all. The audience is a snapshot of the moment when ' +
          'sending starts; nobody to send to now is a 400. The sender domain must still be verified (403).',
        params: CampaignParams,
        body: SendBody,
        response: { 200: SendReply },
      },
    },
    async ({ project, params, body }) => {
      const data = await sendCampaign(ctx, project.id, params.id, body.scheduledFor);
      return {
        success: true as const,
        data,
        message: data.scheduledFor ? 'The campaign is scheduled.' : 'The campaign is being sent.',
      };
    },
  );

  app.post(
    '/campaigns/:id/cancel',
    {
      schema: {
        tags,
        summary: 'Cancel a campaign',
        description:
          'SCHEDULED and SENDING only, otherwise 409. What was not handed to the mail server never goes out. Returns the campaign, CANCELLED.',
        params: CampaignParams,
        response: { 200: Campaign },
      },
    },
    async ({ project, params }) => cancelCampaign(ctx, project.id, params.id),
  );

  app.post(
    '/campaigns/:id/test',
    {
      schema: {
        tags,
        summary: 'Send a test to one address',
        description:
          "In any state. The subject is prefixed with `[TEST] `, and the data is that of the contact of the address if there is one. Counted nowhere. `id` is the email's, see `GET /emails/:id`.",
        params: CampaignParams,
        body: z.object({ email: EmailAddress }),
        response: { 200: z.object({ id: z.string(), email: z.string(), status: z.literal('PENDING') }) },
      },
    },
    async ({ project, params, body }) => sendTest(ctx, project.id, params.id, body.email),
  );

  app.get(
    '/campaigns/:id/stats',
    {
      schema: {
        tags,
        summary: 'Results of a campaign',
        description: 'The same numbers as in the campaign, and rates.',
        params: CampaignParams,
        response: { 200: CampaignStats },
      },
    },
    async ({ project, params }) => getCampaignStats(ctx, project.id, params.id),
  );

  app.get(
    '/campaigns/:id/recipients',
    {
      schema: {
        tags,
        summary: "List a campaign's recipients, and what became of each",
        description: `Those of the snapshot that is taken when sending starts, in its order; before there are none. \`status\` chooses those whose email has exactly this status now: who has clicked is CLICKED, no longer OPENED. ${MALFORMED}`,
        params: CampaignParams,
        querystring: CursorQuery.extend({ status: z.enum(EmailStatus).optional() }),
        response: { 200: cursorPage(Recipient) },
      },
    },
    async ({ project, params, query }) => listRecipients(ctx, project.id, params.id, query),
  );
};
