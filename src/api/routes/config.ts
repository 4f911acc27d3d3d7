/** The public configuration, which a dashboard reads before the login. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { signInProviders } from '../../domain/accounts/providers.js';
import { withTypes } from '../typed.js';

const ConfigReply = z
  .object({
    environment: z.string(),
    urls: z.object({ api: z.string(), dashboard: z.string() }),
    features: z.object({
      billing: z.boolean(),
      storage: z
        .boolean()
        .describe('Whether uploads are stored in object storage. Otherwise, they are stored on the local disk.'),
      authProviders: z.object({ google: z.boolean(), github: z.boolean() }),
      smtp: z.boolean(),
      signups: z.boolean(),
    }),
  })
  .meta({ id: 'Configuration' });

export const configRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const { config } = ctx;

  withTypes(instance).get(
    '/config',
    {
      config: { auth: 'none' },
      schema: { tags: ['Configuration'], summary: 'Retrieve the configuration', response: { 200: ConfigReply } },
    },
    async () => ({
      environment: config.NODE_ENV,
      urls: { api: config.PUBLIC_URL, dashboard: config.DASHBOARD_URL },
      features: {
        billing: Boolean(config.STRIPE_SECRET_KEY),
        storage: Boolean(config.UPLOADS_URL?.startsWith('s3:')),
        authProviders: signInProviders(config),
        smtp: Boolean(config.SMTP_URL),
        signups: !config.DISABLE_SIGNUPS,
      },
    }),
  );
};
