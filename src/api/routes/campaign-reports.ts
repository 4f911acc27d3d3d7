/** Reports about a sent campaign, and the retry of its failed emails. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { listFailures, retryFailed } from '../../domain/campaigns/retry.js';
import { withTypes } from '../typed.js';

const CampaignParams = z.object({ id: z.guid('must be a uuid') });

const CampaignFailures = z
  .object({
    data: z.array(
      z.object({
        response: z
          .string()
          .describe("The mail server's reply, or our reason without a reply, with … in place of addresses and ids."),
        count: z.int(),
        example: z
          .object({ emailId: z.string(), email: z.string(), response: z.string().describe('The complete reply.') })
          .describe('One of these emails.'),
      }),
    ),
    other: z.int().describe('Failed emails with other replies than the 100 most frequent ones.'),
  })
  .meta({ id: 'CampaignFailures' });

const tags = ['Campaigns'];

export const campaignReportRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/campaigns/:id/failures',
    {
      schema: {
        tags,
        summary: 'List why emails of a campaign failed',
        description:
          'Groups the FAILED emails by reply of the mail server, most frequent first, at most 100 groups. Emails with ' +
          'an unknown outcome are a group of their own. Emails that bounced after they were accepted are not FAILED.',
        params: CampaignParams,
        response: { 200: CampaignFailures },
      },
    },
    async ({ project, params }) => listFailures(ctx, project.id, params.id),
  );

  app.post(
    '/campaigns/:id/retry-failed',
    {
      schema: {
        tags,
        summary: 'Send failed emails again',
        description:
          'Sends the FAILED emails of a SENT campaign again (409 in other statuses). The campaign is SENDING until ' +
          'they are final. Without `includeAmbiguous`, no recipient gets a second email. With it, emails whose outcome ' +
          'a crash hid (`unknownCount`) are also sent, so a recipient may get a second email with the same ' +
          'Message-ID. Contacts that unsubscribed in the meantime get none.',
        params: CampaignParams,
        body: z
          .object({
            includeAmbiguous: z
              .boolean()
              .default(false)
              .describe('Whether emails with an unknown outcome are also sent again.'),
          })
          .default({ includeAmbiguous: false }),
        response: { 202: z.object({ retried: z.int().describe('The number of emails to send again.') }) },
      },
    },
    async ({ project, params, body }, reply) =>
      reply.code(202).send(await retryFailed(ctx, project.id, params.id, body)),
  );
};
