/** Campaigns. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { previewAudience } from '../../domain/campaigns/audience.js';
import {
  createCampaign,
  deleteCampaign,
  duplicateCampaign,
  getCampaign,
  listCampaigns,
  replaceCampaign,
  updateCampaign,
} from '../../domain/campaigns/manage.js';
import { chooseWinner } from '../../domain/campaigns/decision.js';
import { DEEDS } from '../../domain/campaigns/sql/recipient-filters.js';
import { listRecipients, MAX_COUNTED } from '../../domain/campaigns/recipients.js';
import { cancelCampaign, sendCampaign, sendCampaignTest } from '../../domain/campaigns/send.js';
import { getCampaignStats } from '../../domain/campaigns/stats.js';
import { EmailStatus } from '../../generated/prisma/enums.js';
import {
  CampaignParams,
  Decision,
  Campaign,
  CampaignBody,
  PatchBody,
  AudienceBody,
  AudiencePreview,
  ListQuery,
  SendBody,
  SendReply,
  CampaignStats,
  Recipient,
} from '../campaign-schema.js';
import { TestBody, TestEmail } from '../draft-schema.js';
import { CursorQuery, cursorPage, page } from '../schemas.js';
import { withTypes } from '../typed.js';

const tags = ['Campaigns'];
const MALFORMED =
  'A malformed UUID in the path returns 422. An unknown campaign and a campaign of another project return 404.';

export const campaignRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
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
          'error or an unverified sender in a given field returns 422 or 403, also for a draft. A draft stays one until `draft: false`, which returns 422 or 403 if it is not complete. A SCHEDULED campaign must stay complete, and a new test needs 100 recipients per variant (422 with TEST_TOO_SMALL).',
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
