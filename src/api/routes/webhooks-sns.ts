/** Amazon SNS posts what SES says of mails here. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { createSnsWebhook } from '../../domain/feedback/sns.js';
import { SnsMessage } from '../../domain/feedback/sns-message.js';
import { parseJson } from '../plugins/validation.js';
import { withTypes } from '../typed.js';

/** SNS carries 256 KB, which escaping can double and more. */
const MAX_BODY = 2 * 1024 * 1024;

const Reply = z.object({ received: z.literal(true) });

export const snsRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const webhook = createSnsWebhook(ctx);
  // SNS posts its JSON as text; the parser is this route's alone.
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
        tags: ['Webhooks'],
        summary: 'Receive a message of Amazon SNS',
        description:
          'For Amazon SNS, not for API users. Takes signature versions 1 and 2, made with a certificate of SNS; subscriptions are confirmed by themselves. Applies bounces, complaints, deliveries, opens and clicks that ' +
          'SES reports, as notifications or as events, each once. A permanent bounce or a complaint unsubscribes the contact. 403: the signature or the topic is not right. 503: SNS tries again.',
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
