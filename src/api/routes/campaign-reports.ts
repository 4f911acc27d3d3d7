/** Reports about a sent campaign, and the retry of its failed emails. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { campaignTimeseries, listLinks, MAX_INTERVALS, MAX_LINKS } from '../../domain/campaigns/reports.js';
import { listFailures, retryFailed } from '../../domain/campaigns/retry.js';
import { listWaves } from '../../domain/campaigns/waves.js';
import { Timestamp, Timezone } from '../schemas.js';
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

const LinkFigures = z.object({
  people: z.int().describe('Recipients who clicked it.'),
  clicks: z.int().describe('Clicks by people.'),
  machineClicks: z.int().describe('Clicks by scanners and other machines.'),
  firstAt: Timestamp.nullable().describe('The first click by a person.'),
  lastAt: Timestamp.nullable().describe('The last click by a person.'),
});

const CampaignLinks = z
  .object({
    data: z.array(
      LinkFigures.extend({
        url: z.string(),
        label: z.string().nullable().describe('The attribute `data-link` of the link: `<a href="…" data-link="cta">`.'),
      }),
    ),
    other: LinkFigures.nullable().describe(
      'All further links together. A recipient who clicked several of them counts several times.',
    ),
  })
  .meta({ id: 'CampaignLinks' });

const CampaignPoint = z
  .object({
    at: Timestamp.describe('The start of the interval.'),
    sent: z.int(),
    opens: z.int(),
    clicks: z.int(),
    bounces: z.int(),
    complaints: z.int(),
    unsubscribes: z.int(),
    machineOpens: z.int().describe('Emails that a scanner, prefetcher, or proxy opened. `opens` counts people only.'),
    machineClicks: z.int().describe('Emails in which a scanner clicked a link.'),
  })
  .meta({ id: 'CampaignPoint' });

const CampaignWaves = z
  .object({
    data: z.array(
      z.object({
        at: Timestamp.describe('When the emails are due.'),
        zones: z.array(z.string()).describe('The time zones of the recipients, that with the most first.'),
        total: z.int().describe('Recipients.'),
        fallback: z.int().describe('Recipients without a known time zone, for whom `fallbackTimezone` counts.'),
        sent: z.int().describe('Emails that the mail server accepted.'),
      }),
    ),
    isForecast: z.boolean().describe('Whether the waves can still change, because sending has not begun.'),
  })
  .meta({ id: 'CampaignWaves' });

const tags = ['Campaigns'];

export const campaignReportRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/campaigns/:id/links',
    {
      schema: {
        tags,
        summary: 'List the clicked links of a campaign',
        description:
          `Most people first, at most ${MAX_LINKS} links. Links with the same URL and different labels are listed ` +
          'separately. Links without clicks are not listed.',
        params: CampaignParams,
        response: { 200: CampaignLinks },
      },
    },
    async ({ project, params }) => listLinks(ctx, project.id, params.id),
  );

  app.get(
    '/campaigns/:id/timeseries',
    {
      schema: {
        tags,
        summary: 'Retrieve the figures of a campaign over time',
        description:
          'From the first to the last figure, oldest first, with zeros. An email counts once per column, when it was ' +
          'sent, first opened by a person, and so on. Empty before sending begins. Covers at most ' +
          `${MAX_INTERVALS.minute} minutes, ${MAX_INTERVALS.hour} hours, or ${MAX_INTERVALS.day} days.`,
        params: CampaignParams,
        querystring: z.object({ interval: z.enum(['minute', 'hour', 'day']).default('hour'), timezone: Timezone }),
        response: { 200: z.array(CampaignPoint) },
      },
    },
    async ({ project, params, query }) => campaignTimeseries(ctx, project.id, params.id, query),
  );

  app.get(
    '/campaigns/:id/waves',
    {
      schema: {
        tags,
        summary: 'List the waves of a campaign',
        description:
          'A campaign that was scheduled with `timezone: recipient` is sent in waves: to the recipients whose local ' +
          'time is the chosen one. In the order of their moments. Before sending begins, a forecast for the audience ' +
          'as it is now. Empty for other campaigns.',
        params: CampaignParams,
        response: { 200: CampaignWaves },
      },
    },
    async ({ project, params }) => listWaves(ctx, project.id, params.id),
  );

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
