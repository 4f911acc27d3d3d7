/** The reputation of a project. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { LEVELS } from '../../domain/reputation/levels.js';
import { getSecurity } from '../../domain/reputation/security.js';
import { IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const Level = z.enum(LEVELS);

const period = {
  sent: z.int().describe('Emails that a mail server accepted, except test emails.'),
  bounces: z.int().describe('Permanent bounces of these emails.'),
  transientBounces: z.int().describe('Transient bounces. They count toward no rate.'),
  complaints: z.int(),
  bounceRate: z.number().describe('`bounces` as a fraction of `sent`. 0 if nothing was sent.'),
  complaintRate: z.number(),
};
const levels = { bounceLevel: Level, complaintLevel: Level };

export const Security = z
  .object({
    projectId: z.string(),
    level: Level.describe('The worst of the four levels.'),
    disabled: z.boolean(),
    disabledReason: z.string().nullable(),
    disabledAt: Timestamp.nullable(),
    last24Hours: z
      .object(period)
      .describe('The figures recorded in the last 24 hours, rounded to the hour. They have no level.'),
    last7Days: z.object({ ...period, ...levels }).describe('The figures of this UTC day and the six days before it.'),
    allTime: z.object({ ...period, ...levels }),
    autoDisable: z.object({
      enabled: z.boolean().describe('Whether this installation disables critical projects (`AUTO_PROJECT_DISABLE`).'),
      countsFrom: Timestamp.nullable().describe(
        'The time at which the project was last re-enabled. Earlier figures do not disable it again.',
      ),
    }),
  })
  .meta({ id: 'Security' });

const DESCRIPTION =
  'Available to all members (404 for non-members). A level is `warning` or `critical` from these rates ' +
  'upward: bounces 5% or 10% over 7 days, 4% or 8% all time; complaints 0.075% or 0.15% over 7 days, ' +
  '0.03% or 0.12% all time. A rate counts from 100 emails upward, and a level needs at least 5 bounces ' +
  'or 3 complaints (critical: 10 or 5). Only permanent bounces count.\n\nA critical project is disabled ' +
  'within seconds: running campaigns and executions are canceled, queued emails are not sent, and ' +
  'requests that change something return 403 `PROJECT_DISABLED`. `PATCH /users/@me/projects/:id` with ' +
  '`{ "disabled": false }` enables the project again; its levels stay as they are.';

export const securityRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  for (const url of ['/users/@me/projects/:id/security', '/projects/:id/security']) {
    app.get(
      url,
      {
        config: { auth: 'session' },
        schema: {
          tags: ['Projects'],
          summary: "Retrieve a project's reputation",
          description: DESCRIPTION,
          params: IdParams,
          response: { 200: Security },
        },
      },
      async ({ account, params }) => getSecurity(ctx, account.id, params.id),
    );
  }
};
