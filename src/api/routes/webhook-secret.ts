/** The secret that signs the requests of WEBHOOK steps. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { webhookSecret } from '../../domain/executions/webhook/sign.js';
import { withTypes } from '../typed.js';

export const webhookSecretRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (app, { ctx }) => {
  withTypes(app).get(
    '/workflows/webhook-secret',
    {
      schema: {
        tags: ['Workflows'],
        summary: 'Retrieve the webhook secret',
        description:
          'Each request of a WEBHOOK step has the headers `webhook-id`, `webhook-timestamp`, and ' +
          '`webhook-signature` of the Standard Webhooks specification, so that the receiver can verify its ' +
          'origin. `webhook-id` is the same for every attempt of a step. The project has one secret, which is ' +
          'created at its first use and stays the same.',
        response: { 200: z.object({ secret: z.string().describe('The prefix `whsec_` and a base64 value.') }) },
      },
    },
    async ({ project }, reply) => {
      void reply.header('Cache-Control', 'no-store');
      return { secret: await webhookSecret(ctx, project.id) };
    },
  );
};
