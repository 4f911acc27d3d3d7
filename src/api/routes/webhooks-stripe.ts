/** The receiver of the payment provider's notifications. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { receiveEvent } from '../../domain/billing/events.js';
import { withTypes } from '../typed.js';

const MEGABYTE = 1024 * 1024;

export const stripeWebhookRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  // The signature is that of the bytes: parsed and written anew, they may be others.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: string | Buffer) => body);

  app.post(
    '/webhooks/incoming/stripe',
    {
      bodyLimit: MEGABYTE,
      config: { auth: 'none' },
      schema: {
        tags: ['Receivers'],
        summary: "The payment provider's notifications",
        description:
          'Called by Stripe, with its signature: each event is applied once, in any order. 400 without a valid signature; ' +
          '404 `BILLING_DISABLED` without a configured payment provider.',
        response: { 200: z.object({ received: z.literal(true), outcome: z.enum(['applied', 'repeated', 'ignored']) }) },
      },
    },
    async ({ body, headers }) => {
      const signature = headers['stripe-signature'];
      const outcome = await receiveEvent(
        ctx,
        Buffer.isBuffer(body) ? body : Buffer.alloc(0),
        typeof signature === 'string' ? signature : undefined,
      );
      return { received: true as const, outcome };
    },
  );
};
