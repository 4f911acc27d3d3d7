/** Receives the events of Stripe. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { receiveEvent } from '../../domain/billing/events.js';
import { withTypes } from '../typed.js';

const MEGABYTE = 1024 * 1024;

export const stripeWebhookRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  // The signature covers the raw bytes of the body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: string | Buffer) => body);

  app.post(
    '/webhooks/incoming/stripe',
    {
      bodyLimit: MEGABYTE,
      config: { auth: 'none' },
      schema: {
        tags: ['Receivers'],
        summary: 'Receive a Stripe event',
        description:
          'Called by Stripe with a signature. Each event is applied once, in any order. Returns 400 without a ' +
          'valid signature, and 404 `BILLING_DISABLED` if no payment provider is configured.',
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
