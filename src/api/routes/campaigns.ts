/** Campaigns. */
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
  updateCampaign,
} from '../../domain/campaigns/manage.js';
import { chooseWinner } from '../../domain/campaigns/decision.js';
import { MAX_LATENESS, PAST_RULES } from '../../domain/campaigns/local-schedule.js';
import { DEEDS } from '../../domain/campaigns/sql/recipient-filters.js';
import { listRecipients, MAX_COUNTED } from '../../domain/campaigns/recipients.js';
import { cancelCampaign, sendCampaign, sendCampaignTest } from '../../domain/campaigns/send.js';
import { getCampaignStats } from '../../domain/campaigns/stats.js';
import { Variant, VariantTest } from '../../domain/campaigns/variants.js';
import { EmailStatus } from '../../generated/prisma/enums.js';
import { ConditionTree } from '../condition-schema.js';
import { editedFields, editorFields } from '../design-schema.js';
import {
  AsDraft,
  DRAFT_HOLE,
  DraftAddress,
  DraftSubject,
  DraftText,
  IsDraft,
  NotDraft,
  Problems,
  TestBody,
  TestEmail,
} from '../draft-schema.js';
import {
  CursorQuery,
  EmailAddress,
  EmailType,
  Preheader,
  Subject,
  Timestamp,
  cursorPage,
  page,
  pageQuery,
} from '../schemas.js';
import { SendWindow } from '../send-window-schema.js';
import { withTypes } from '../typed.js';

const Uuid = z.guid('must be a uuid');
const CampaignParams = z.object({ id: Uuid });
const CampaignStatus = z.enum(CAMPAIGN_STATUSES);
const AudienceType = z.enum(['ALL', 'SEGMENT', 'FILTERED']);

const counter = z.int();

const WINDOW =
  'The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if ' +
  'it is TRANSACTIONAL.';

const VARIANTS =
  'Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. ' +
  'Templates that do not parse and unverified senders are errors in drafts, too.';
const TEST =
  'How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts ' +
  'get one of the variants, by their weights.';

const Decision = z
  .object({
    variant: z.string(),
    by: z.enum(['auto', 'manual']),
    significant: z
      .boolean()
      .nullable()
      .describe('Whether its rate is higher than all others at a level of 95%. Null for a manual decision.'),
    at: Timestamp,
  })
  .meta({ id: 'VariantDecision' });

const LocalSchedule = z
  .object({
    time: z.string().describe('The local time, such as `2030-01-31T09:00`.'),
    timezone: z.string().describe('An IANA name, or `recipient`.'),
    fallbackTimezone: z.string().optional(),
    past: z.enum(PAST_RULES).optional(),
    maxLateness: z.int().optional().describe('Hours.'),
  })
  .describe('The local time at which the campaign is or was scheduled. Null if it was scheduled for a moment.')
  .meta({ id: 'LocalSchedule' });

const Campaign = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    subject: z.string().nullable().describe(DRAFT_HOLE),
    preheader: z.string().nullable(),
    ...editedFields,
    body: z.string().nullable().describe(DRAFT_HOLE),
    from: z.string().nullable().describe(DRAFT_HOLE),
    fromName: z.string().nullable(),
    replyTo: z.string().nullable(),
    type: EmailType,
    status: CampaignStatus,
    draft: IsDraft,
    audienceType: AudienceType.nullable().describe(DRAFT_HOLE),
    segmentId: z.string().nullable(),
    audienceCondition: z.record(z.string(), z.unknown()).nullable(),
    templateId: z.string().nullable().describe('The template that the campaign was created from.'),
    scheduledFor: Timestamp.nullable().describe('With `timezone: recipient`, when it is due in the first time zone.'),
    localSchedule: LocalSchedule.nullable(),
    sendWindow: SendWindow.nullable().describe(WINDOW),
    variants: z
      .array(Variant.extend({ from: z.string().optional() }))
      .nullable()
      .describe(VARIANTS),
    test: VariantTest.nullable().describe(TEST),
    decision: Decision.nullable().describe('The winner of the test. Null before the decision, and without a test.'),
    sentAt: Timestamp.nullable().describe('The time at which the last recipient reached a final status.'),
    totalRecipients: counter.describe('The number of recipients in the snapshot, which is taken when sending starts.'),
    sentCount: counter,
    deliveredCount: counter,
    openedCount: counter,
    clickedCount: counter,
    bouncedCount: counter,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    problems: Problems.describe('As in `POST /render`, and `missing_audience`. Empty once the campaign is sent.'),
  })
  .meta({ id: 'Campaign' });

const Fields = z.object({
  name: z.string().trim().min(1),
  description: z.string().nullish(),
  subject: Subject.optional().describe('Required without `templateId`.'),
  preheader: Preheader,
  ...editorFields,
  body: z
    .string()
    .min(1)
    .optional()
    .describe('HTML with `{{ variable }}` placeholders. Required without `design` and `templateId`.'),
  from: EmailAddress.optional().describe('Required without `templateId`. The domain must be verified.'),
  fromName: z
    .string()
    .max(320)
    .regex(/^[^\r\n]*$/, 'must not contain newline characters')
    .nullish(),
  replyTo: EmailAddress.nullish(),
  type: EmailType.optional().describe("Default: the template's type, or MARKETING without a template."),
  audienceType: AudienceType,
  sendWindow: SendWindow.nullish().describe(WINDOW),
  variants: z.array(Variant).min(2).max(5).nullish().describe(VARIANTS),
  test: VariantTest.nullish().describe(TEST),
  segmentId: Uuid.nullish().describe('Required if `audienceType` is SEGMENT. Ignored otherwise.'),
  audienceCondition: ConditionTree.nullish().describe('Required if `audienceType` is FILTERED. Ignored otherwise.'),
  templateId: Uuid.nullish().describe(
    'A template that provides the missing fields among subject, body, from, fromName, replyTo, and type.',
  ),
});

/** The fields of a draft can be empty. */
const draftFields = {
  subject: DraftSubject,
  body: DraftText,
  from: DraftAddress,
  audienceType: AudienceType.nullish(),
  draft: AsDraft,
};

const CampaignBody = z.discriminatedUnion('draft', [Fields.extend({ draft: NotDraft }), Fields.extend(draftFields)]);

const PatchBody = z.discriminatedUnion('draft', [
  Fields.partial().extend({ draft: NotDraft }),
  Fields.partial().extend(draftFields),
]);

const AudienceBody = Fields.pick({ audienceType: true, segmentId: true, audienceCondition: true }).extend({
  type: EmailType.default('MARKETING'),
});

const AudiencePreview = z
  .object({
    matched: z.int().describe('Contacts in the audience.'),
    unsubscribed: z.int().describe('Contacts in the audience that are not subscribed.'),
    willSend: z.int().describe('Contacts that a campaign of this type would be sent to.'),
  })
  .meta({ id: 'AudiencePreview' });

const ListQuery = pageQuery(['createdAt', 'name', 'updatedAt']).extend({
  status: z
    .string()
    .optional()
    .meta({ enum: [...CAMPAIGN_STATUSES] })
    .describe('Any other value returns 400.'),
});

const SendBody = z.object({
  scheduledFor: z
    .string()
    .nullish()
    .describe(
      "The time to send. Missing or null means now. Any date that JavaScript's `Date` parses, in UTC if it " +
        'has no zone. An invalid date or a date in the past returns 400. With `timezone`, a local time such as ' +
        '`2030-01-31T09:00`.',
    ),
  timezone: z
    .string()
    .max(100)
    .optional()
    .describe(
      'The time zone of `scheduledFor`: an IANA name, or `recipient` for that of each recipient (the field `timezone` ' +
        'of the contact). An offset in `scheduledFor` then returns 422.',
    ),
  fallbackTimezone: z
    .string()
    .max(100)
    .optional()
    .describe("For recipients without a known time zone. Default: the project's. Only with `timezone: recipient`."),
  past: z
    .enum(PAST_RULES)
    .optional()
    .describe(
      'What becomes of recipients whose local time has passed when sending begins: on the next day at this time ' +
        '(`next_day`, default), now, or no email. Only with `timezone: recipient`.',
    ),
  maxLateness: z
    .int()
    .min(MAX_LATENESS.min)
    .max(MAX_LATENESS.max)
    .optional()
    .describe(
      `Hours. Emails that are still unsent this long after their local time fail with \`LATE\`. Default: ${MAX_LATENESS.default}. ` +
        'Only with `timezone: recipient`.',
    ),
  force: z.boolean().optional().describe('Tests variants also with fewer than 100 recipients each.'),
});

const SendReply = z.object({
  success: z.literal(true),
  data: z.object({ id: z.string(), name: z.string(), status: CampaignStatus, scheduledFor: Timestamp.nullable() }),
  message: z.string(),
});

const rate = z.number().describe('A fraction of `sentCount`. 0 if nothing was sent.');

const CampaignStats = z
  .object({
    totalRecipients: counter,
    sentCount: counter,
    deliveredCount: counter,
    openedCount: counter,
    clickedCount: counter,
    bouncedCount: counter,
    complainedCount: counter,
    unsubscribedCount: counter.describe(
      'Recipients who used the unsubscribe link, the preferences page, or one-click unsubscribe.',
    ),
    failedCount: counter.describe('Emails that failed, without those in `unknownCount`.'),
    unknownCount: counter.describe(
      'Emails that failed because a crash hid whether the mail server accepted them (`AMBIGUOUS_SEND=skip`).',
    ),
    pendingCount: counter.describe('Emails that are not sent yet.'),
    cancelledCount: counter.describe(
      'Emails that were canceled with the campaign, or because the contact unsubscribed before it was sent.',
    ),
    deliveryRate: rate,
    openRate: rate,
    clickRate: rate,
    bounceRate: rate,
    variants: z
      .array(
        z.object({
          id: z.string(),
          recipients: counter,
          sent: counter,
          delivered: counter,
          opened: counter,
          clicked: counter,
          converted: counter.describe('Recipients who had the event of the metric after their email.'),
          rate: z.number().describe('What the test counts, as a fraction of `sent`.'),
          interval: z
            .object({ low: z.number(), high: z.number() })
            .describe("Wilson's confidence interval of the rate, for 95%."),
          isWinner: z.boolean(),
        }),
      )
      .describe('The results of variants, without the rest of the audience. Empty without variants.'),
    fallbackZone: counter.describe('Recipients without a known time zone, of a campaign in waves.'),
  })
  .meta({ id: 'CampaignStats' });

const Recipient = z
  .object({
    emailId: z.string().describe('The id for `GET /emails/:id`.'),
    contactId: z.string().nullable().describe('Null if the contact was deleted.'),
    email: z.string().describe('The address at the start of the campaign.'),
    status: z.enum(EmailStatus),
    attempts: z.int(),
    error: z.string().nullable(),
    bounceType: z.string().nullable().describe('`permanent` or `transient`.'),
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
const MALFORMED =
  'A malformed UUID in the path returns 422. An unknown campaign and a campaign of another project return 404.';

export const campaignRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/campaigns',
    {
      schema: {
        tags,
        summary: 'List campaigns',
        description:
          '`search` matches part of the name, subject, or sender address. Case-insensitive. An unrecognized ' +
          '`sort` or `dir` falls back to createdAt and desc. The counters of a campaign that has ended do not ' +
          'change afterwards.',
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
          'Creates a draft. Of `segmentId` and `audienceCondition`, only the one that the audience type uses ' +
          'is stored. Returns 403 for an unverified sender domain, 404 for an unknown segment or template, 422 ' +
          'for an invalid condition (with the path of each error), and 400 for a condition that references an ' +
          'unknown segment. With `draft: true`, only `name` is required, and missing fields, syntax errors, and ' +
          'unverified domains are listed in `problems`. A draft with errors cannot be sent.',
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
        summary: 'Preview an audience',
        description:
          'Counts under the rules of sending, and sends nothing: MARKETING and HEADLESS reach the subscribed ' +
          'contacts whose address is not suppressed, TRANSACTIONAL reaches all contacts.',
        body: AudienceBody,
        response: { 200: AudiencePreview },
      },
    },
    async ({ project, body }) => previewAudience(ctx, project.id, body),
  );

  app.get(
    '/campaigns/:id',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Retrieve a campaign',
        description: `The counters are current. ${MALFORMED}`,
        params: CampaignParams,
        response: { 200: Campaign },
      },
    },
    async ({ project, params }) => getCampaign(ctx, project.id, params.id),
  );

  app.put(
    '/campaigns/:id',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Replace a campaign',
        description:
          'Allowed in DRAFT and SCHEDULED (409 otherwise). The required fields are those of creation. A ' +
          'missing optional field becomes null or its default. A scheduled campaign keeps its date, and must be ' +
          'complete also with `draft: true`.',
        params: CampaignParams,
        body: CampaignBody,
        response: { 200: Campaign },
      },
    },
    async ({ project, params, body, expected }) => replaceCampaign(ctx, project.id, params.id, body, expected),
  );

  app.patch(
    '/campaigns/:id',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Update a campaign',
        description:
          'Changes only the given fields. Allowed in DRAFT and SCHEDULED (409 otherwise). A new `templateId` ' +
          'supplies the fields that have no value. With `draft: true`, the rules of drafts apply; otherwise, a syntax ' +
          'error or an unverified sender in a given field returns 422 or 403, also for a draft. A draft stays one until `draft: false`, which returns 422 or 403 if it is not complete. A SCHEDULED campaign must stay complete.',
        params: CampaignParams,
        body: PatchBody,
        response: { 200: Campaign },
      },
    },
    async ({ project, params, body, expected }) => updateCampaign(ctx, project.id, params.id, body, expected),
  );

  app.delete(
    '/campaigns/:id',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Delete a campaign',
        description:
          'Returns 409 while the campaign is SCHEDULED or SENDING, and while its last emails are in flight ' +
          'after a cancellation. Its emails stay in the log.',
        params: CampaignParams,
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async ({ project, params, expected }, reply) => {
      await deleteCampaign(ctx, project.id, params.id, expected);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/campaigns/:id/duplicate',
    {
      schema: {
        tags,
        summary: 'Duplicate a campaign',
        description: 'Creates a draft with the same content and audience, named "… (copy)".',
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
        summary: 'Send or schedule a campaign',
        description:
          'Allowed in DRAFT and SCHEDULED (409 otherwise); a new date replaces the old one. MARKETING and ' +
          'HEADLESS reach the subscribed contacts whose address is not suppressed, TRANSACTIONAL reaches all ' +
          'contacts. The audience is a snapshot that is taken when sending starts. Returns 422 with TEST_TOO_SMALL for variants with fewer than 100 recipients each. Returns 400 if a campaign ' +
          'that is sent now has no recipients, 403 if the sender domain is no longer verified, and 422 with the ' +
          'list of problems for a draft with errors. A draft without errors is sent, and is not a draft afterwards.',
        params: CampaignParams,
        body: SendBody,
        response: { 200: SendReply },
      },
    },
    async ({ project, params, body }) => {
      const data = await sendCampaign(ctx, project.id, params.id, body);
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
          'Allowed in SCHEDULED and SENDING (409 otherwise). Emails that no mail server has received yet are ' +
          'never sent. Returns the campaign with the status CANCELLED.',
        params: CampaignParams,
        response: { 200: Campaign },
      },
    },
    async ({ project, params }) => cancelCampaign(ctx, project.id, params.id),
  );

  app.post(
    '/campaigns/:id/winner',
    {
      schema: {
        tags,
        summary: 'Choose the winner of a test',
        description:
          'The rest of the audience then gets this variant. Allowed while the campaign is SENDING, once for each test. Returns ' +
          '409 with the `status` and the `decision` before the snapshot is complete, after the decision, and without a test. ' +
          'Of a manual and an automatic decision at the same time, one counts.',
        params: CampaignParams,
        body: z.object({ variant: z.string().describe('Its id.') }),
        response: { 200: z.object({ success: z.literal(true), data: Decision }) },
      },
    },
    async ({ project, params, body }) => ({
      success: true as const,
      data: await chooseWinner(ctx, project.id, params.id, body.variant),
    }),
  );

  app.post(
    '/campaigns/:id/test',
    {
      schema: {
        tags,
        summary: 'Send a test email',
        description:
          'Allowed in every status. Sends the content of the campaign, or of one of its variants. ' +
          'The subject is prefixed with `[TEST] `, and the content uses the data of ' +
          'the contact `contactId`, or else of the contact with that address, if there is one. Test emails are ' +
          'counted nowhere. A draft whose content has errors returns 422 with the list of problems. `id` is the ' +
          "email's id for `GET /emails/:id`.",
        params: CampaignParams,
        body: TestBody.extend({
          variant: z.string().optional().describe('The id of a variant. Default: the content of the campaign.'),
        }),
        response: { 200: TestEmail },
      },
    },
    async ({ project, params, body }) => sendCampaignTest(ctx, project.id, params.id, body),
  );

  app.get(
    '/campaigns/:id/stats',
    {
      schema: {
        tags,
        summary: 'Retrieve the results of a campaign',
        description: 'Returns the counters of the campaign, and rates.',
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
        summary: "List a campaign's recipients",
        description:
          'Returns the recipients of the snapshot in its order. Before sending starts, the list is empty. ' +
          '`status` selects the recipients whose email has exactly this status now: a recipient who clicked is ' +
          'CLICKED and no longer OPENED. `did` selects all recipients of a figure: `opened` those who opened the ' +
          'email, clicked or not. A recipient must match all filters. If filters are combined, or with `search`, ' +
          `\`total\` is at most ${MAX_COUNTED}. ${MALFORMED}`,
        params: CampaignParams,
        querystring: CursorQuery.extend({
          status: z.enum(EmailStatus).optional(),
          did: z
            .enum(DEEDS)
            .optional()
            .describe(
              '`not_opened` and `not_clicked` are recipients to whom the email was sent. `failed` excludes emails whose ' +
                'outcome is `unknown`.',
            ),
          url: z.string().max(2000).optional().describe('Recipients who clicked a link to this URL.'),
          search: z.string().max(255).optional().describe('A part of the address, case-insensitive.'),
        }),
        response: { 200: cursorPage(Recipient) },
      },
    },
    async ({ project, params, query }) => listRecipients(ctx, project.id, params.id, query),
  );
};
