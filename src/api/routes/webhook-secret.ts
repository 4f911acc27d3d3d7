/** The secret of the requests that WEBHOOK steps make. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { webhookSecret } from '../../domain/executions/webhook/sign.js';
import { withTypes } from '../typed.js';

export const webhookSecretRoutes: FastifyPluginAsync<{ ctx: Context }> = async (app, { ctx }) => {
  withTypes(app).get(
    '/workflows/webhook-secret',
    {
      schema: {
        tags: ['Workflows'],
        summary: 'The secret that signs the requests of WEBHOOK steps',
        description:
          'Each request of a WEBHOOK step carries the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of the Standard Webhooks specification, so that its receiver ' +
          "can check where it comes from. The secret is the project's, is made at its first use, and stays the same. `webhook-id` is the same for every attempt of a step.",
        response: { 200: z.object({ secret: z.string().describe('`whsec_` and base64') }) },
      },
    },
    async ({ project }, reply) => {
      void reply.header('Cache-Control', 'no-store');
      return { secret: await webhookSecret(ctx, project.id) };
    },
  );
};
