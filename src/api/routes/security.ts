/** A project's reputation: how its mail is received, and whether it is disabled for it. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { LEVELS } from '../../domain/reputation/levels.js';
import { getSecurity } from '../../domain/reputation/security.js';
import { IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const Level = z.enum(LEVELS);

const period = {
  sent: z.int().describe('Emails that a mail server has taken; test sends are none'),
  bounces: z.int().describe('Of them, those that bounced for good'),
  transientBounces: z.int().describe('Those that bounced for now; no rate counts them'),
  complaints: z.int(),
  bounceRate: z.number().describe('`bounces` as a fraction of `sent`; 0 when nothing was sent'),
  complaintRate: z.number(),
};
const levels = { bounceLevel: Level, complaintLevel: Level };

const Security = z
  .object({
    projectId: z.string(),
    level: Level.describe('The worst of the four levels'),
    disabled: z.boolean(),
    disabledReason: z.string().nullable(),
    disabledAt: Timestamp.nullable(),
    last24Hours: z.object(period).describe('What was recorded in the last 24 hours, to the hour; it has no level'),
    last7Days: z.object({ ...period, ...levels }).describe('What happened on this UTC day and the six before it'),
    allTime: z.object({ ...period, ...levels }),
    autoDisable: z.object({
      enabled: z.boolean().describe('Whether this installation disables critical projects (`AUTO_PROJECT_DISABLE`)'),
      countsFrom: Timestamp.nullable().describe(
        'When the project was last enabled again: what came before does not disable it once more',
      ),
    }),
  })
  .meta({ id: 'Security' });

const DESCRIPTION =
  'For every member; anybody else gets 404. A level is `warning` or `critical` from these rates on: bounces 5 % / 10 % over 7 days, 4 % / 8 % over all time; complaints 0.075 % / 0.15 % over 7 days, 0.03 % / 0.12 % over all ' +
  'time. Rates count from 100 emails, and a level needs 5 / 10 bounces or 3 / 5 complaints. Bounces are permanent ones. A critical project is disabled within seconds: what runs for it is cancelled, what is queued is ' +
  'not handed over, and requests that change something are 403 `PROJECT_DISABLED`. `PATCH /users/@me/projects/:id` with `{ "disabled": false }` enables it again; the levels here stay what the figures say.';

export const securityRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  for (const url of ['/users/@me/projects/:id/security', '/projects/:id/security']) {
    app.get(
      url,
      {
        config: { auth: 'session' },
        schema: {
          tags: ['Projects'],
          summary: "A project's reputation",
          description: DESCRIPTION,
          params: IdParams,
          response: { 200: Security },
        },
      },
      async ({ account, params }) => getSecurity(ctx, account.id, params.id),
    );
  }
};
