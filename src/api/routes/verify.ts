/** `POST /v1/verify`. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { createVerifier } from '../../domain/verify/verify.js';
import { EmailAddress } from '../schemas.js';
import { withTypes } from '../typed.js';

const VerifyBody = z.object({ email: EmailAddress });

const EmailVerification = z
  .object({
    email: z.string().describe('The normalized address: trimmed, in lowercase, with the domain in ASCII.'),
    valid: z
      .boolean()
      .describe(
        'Whether the domain exists and accepts email: through MX records, or without them at its own ' +
          'address, but not with a null MX. The mailbox itself is not checked.',
      ),
    isDisposable: z.boolean().describe('The domain or a parent domain belongs to a disposable address service.'),
    isAlias: z
      .boolean()
      .describe(
        'The domain or a parent domain belongs to a forwarding service (SimpleLogin, addy.io, DuckDuckGo, ' +
          'Firefox Relay, Hide My Email, …).',
      ),
    isTypo: z
      .boolean()
      .describe(
        'The domain looks like a misspelled domain of a large provider. `reasons` has the suggested address. ' +
          "Always false for a provider's own domain.",
      ),
    isPlusAddressed: z.boolean().describe('The address has the form `name+tag@…`.'),
    isPersonalEmail: z
      .boolean()
      .describe(
        'The domain is a provider of personal mailboxes (Gmail, Outlook, Yahoo, …). False for disposable ' +
          'addresses, aliases, and typos.',
      ),
    domainExists: z
      .boolean()
      .describe('The domain has NS, SOA, A, AAAA, or MX records. Also false if the DNS did not respond.'),
    hasWebsite: z.boolean().describe('The domain, or `www.` and the domain, has an A or AAAA record.'),
    hasMxRecords: z.boolean().describe('The domain has MX records. A null MX does not count.'),
    reasons: z
      .array(z.string())
      .describe(
        'Sentences that explain the result: first the reason for `valid`, then other findings and DNS ' +
          'lookups without a response.',
      ),
  })
  .meta({ id: 'EmailVerification' });

const VerifyReply = z.object({ success: z.literal(true), data: EmailVerification });

export const verifyRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const verify = createVerifier(ctx);

  app.post(
    '/v1/verify',
    {
      config: { effect: 'read' },
      schema: {
        tags: ['Public API'],
        summary: 'Verify an email address',
        description:
          'Checks the syntax of the address, the DNS records of its domain, and lists of providers. No mail ' +
          'server is contacted. Text that is not an email address returns 422. Only `valid` is a verdict; the ' +
          'other fields are information. The response takes at most 5 seconds: a DNS lookup without a response ' +
          'by then counts as not found and is listed in `reasons`. Results of a domain are cached for up to ' +
          'one minute.',
        body: VerifyBody,
        response: { 200: VerifyReply },
      },
    },
    async ({ body }) => ({ success: true as const, data: await verify(body.email) }),
  );
};
