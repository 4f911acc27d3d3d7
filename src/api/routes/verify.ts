/** `POST /v1/verify`. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { createVerifier } from '../../domain/verify/verify.js';
import { EmailAddress } from '../schemas.js';
import { withTypes } from '../typed.js';

const VerifyBody = z.object({ email: EmailAddress });

const EmailVerification = z
  .object({
    email: z.string().describe('Trimmed, in lower case, its domain in ASCII'),
    valid: z
      .boolean()
      .describe(
        'The domain exists and takes mail: by MX records, or without them at its own address, but not with a null MX. Whether the mailbox exists is not asked',
      ),
    isDisposable: z.boolean().describe('The domain, or one above it, belongs to a service of throw-away addresses'),
    isAlias: z
      .boolean()
      .describe(
        'The domain, or one above it, belongs to a service that forwards to other mailboxes (SimpleLogin, addy.io, DuckDuckGo, Firefox Relay, Hide My Email, …)',
      ),
    isTypo: z
      .boolean()
      .describe(
        "The domain looks like a misspelt one of a large provider; `reasons` has the address that may be meant. A provider's own domain never does",
      ),
    isPlusAddressed: z.boolean().describe('`name+tag@…`'),
    isPersonalEmail: z
      .boolean()
      .describe(
        'The domain is a provider of personal mailboxes (Gmail, Outlook, Yahoo, …); not where it is disposable, an alias or a typo',
      ),
    domainExists: z
      .boolean()
      .describe('The domain has NS, SOA, A, AAAA or MX records; false also when the DNS did not say'),
    hasWebsite: z.boolean().describe('The domain, or `www.` before it, has an A or AAAA record'),
    hasMxRecords: z.boolean().describe('A null MX does not count'),
    reasons: z
      .array(z.string())
      .describe('Sentences: first why `valid` is what it is, then what else was found, or what the DNS did not answer'),
  })
  .meta({ id: 'EmailVerification' });

const VerifyReply = z.object({ success: z.literal(true), data: EmailVerification });

export const verifyRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
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
          'Looks at the form of the address, at the DNS records of its domain, and at lists of providers; no mail server is asked. A text that is no email address is 422. Only `valid` judges, everything ' +
          'else is information. The answer comes within 5 seconds: what the DNS has not answered by then counts as not found, and `reasons` says so. Results of a domain are kept for up to a minute.',
        body: VerifyBody,
        response: { 200: VerifyReply },
      },
    },
    async ({ body }) => ({ success: true as const, data: await verify(body.email) }),
  );
};
