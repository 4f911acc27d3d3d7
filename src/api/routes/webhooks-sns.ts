/** Receives the notifications of Amazon SES through Amazon SNS. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { createSnsWebhook } from '../../domain/feedback/sns.js';
import { SnsMessage } from '../../domain/feedback/sns-message.js';
import { parseJson } from '../plugins/validation.js';
import { withTypes } from '../typed.js';

/** SNS messages have up to 256 KB, and JSON escaping can more than double that. */
const MAX_BODY = 2 * 1024 * 1024;

const Reply = z.object({ received: z.literal(true) });

export const snsRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const webhook = createSnsWebhook(ctx);
  // SNS sends JSON as text/plain. The parser is limited to this route.
  app.addContentTypeParser(
    'text/plain',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string | Buffer) => parseJson(body.toString()),
  );

  app.post(
    '/webhooks/sns',
    {
      config: { auth: 'none' },
      bodyLimit: MAX_BODY,
      schema: {
        tags: ['Receivers'],
        summary: 'Receive a message of Amazon SNS',
        description:
          'For Amazon SNS, not for API users. Accepts signature versions 1 and 2 with a certificate of SNS, ' +
          'and confirms subscriptions automatically. Applies the bounces, complaints, deliveries, opens, and ' +
          'clicks that SES reports as notifications or events, each once. A permanent bounce or a complaint ' +
          'unsubscribes the contact. Returns 403 for an invalid signature or an unknown topic, and 503 if SNS ' +
          'should try again.',
        body: SnsMessage,
        response: { 200: Reply },
      },
    },
    async ({ body }) => {
      await webhook.receive(body);
      return { received: true as const };
    },
  );
};
