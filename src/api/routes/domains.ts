/** Sender domains. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import {
  addDomain,
  getDomain,
  getZone,
  listDomains,
  removeDomain,
  requireDomainManager,
  verifyDomain,
} from '../../domain/domains/manage.js';
import { ADVICE_CODES } from '../../domain/domains/authentication.js';
import { RECORD_PURPOSES, RECORD_STATUSES, RECORD_TYPES } from '../../domain/domains/records.js';
import { DOMAIN_STATUSES } from '../../domain/domains/state.js';
import { IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const DomainRecord = z
  .object({
    type: z.enum(RECORD_TYPES),
    name: z.string().describe('The full name, without a final dot.'),
    value: z.string(),
    purpose: z.enum(RECORD_PURPOSES),
    required: z
      .boolean()
      .describe(
        'True only for the DKIM record, which alone decides whether the domain is verified. The other ' +
          'records are recommended.',
      ),
    status: z
      .enum(RECORD_STATUSES)
      .describe(
        'PENDING: not found yet. VERIFIED: found and correct. FAILED: another value is published under this name.',
      ),
    found: z
      .array(z.string())
      .describe(
        'What the DNS answered for this name at the last check, including records of other services. A domain without ' +
          'a DMARC record of its own has that of a parent domain.',
      )
      .meta({ examples: [['v=spf1 include:_spf.example.net ~all']] }),
  })
  .meta({ id: 'DomainRecord' });

export const Domain = z
  .object({
    id: z.string(),
    domain: z.string().describe('The domain in ASCII and lowercase.'),
    projectId: z.string(),
    status: z
      .enum(DOMAIN_STATUSES)
      .describe('FAILED: the DKIM record is correct, but the domain is verified in another project.'),
    verified: z.boolean(),
    records: z.array(DomainRecord),
    advice: z
      .array(
        z
          .object({
            code: z
              .enum(ADVICE_CODES)
              .describe('dmarc_missing: at the last check, the DNS had no valid DMARC record for the domain.'),
            message: z.string(),
          })
          .meta({ id: 'DomainAdvice' }),
      )
      .describe('What senders of bulk email should change. The domain can be used without it.'),
    lastCheckedAt: Timestamp.nullable().describe('The time of the last check with a DNS response.'),
    verifiedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Domain' });

const AddDomainBody = z.object({
  domain: z
    .string()
    .min(1)
    .meta({
      description:
        'At least two labels of letters, digits, and inner hyphens. Other scripts are converted to ASCII. ' +
        'Email addresses, URLs, wildcards, and IP addresses are rejected.',
      examples: ['mail.example.com'],
    }),
});

const tags = ['Domains'];

export const domainRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/domains/project/:projectId',
    {
      config: { projectFrom: 'path' },
      schema: {
        tags,
        summary: 'List the domains of a project',
        description:
          'Returns verified and pending domains, newest first. A key must belong to the project in the path. A ' +
          'session needs no `X-Project-Id` here.',
        params: z.object({ projectId: z.string() }),
        response: { 200: z.array(Domain) },
      },
    },
    async ({ project }) => listDomains(ctx, project.id),
  );

  app.post(
    '/domains',
    {
      schema: {
        tags,
        summary: 'Add a sender domain',
        description:
          'Returns the DNS records to publish, including a DKIM key for this domain, and checks them once. ' +
          'They are then checked every 5 minutes until the domain is verified, and daily after that. A ' +
          'verified domain whose DKIM record is missing for 72 hours becomes pending again. Returns 409 if the ' +
          'domain is already in this project or verified in another one. Sessions require the role OWNER or ' +
          'ADMIN.',
        body: AddDomainBody,
        response: { 201: Domain },
      },
    },
    async ({ project, account, body }, reply) => {
      await requireDomainManager(ctx, project.id, account?.id);
      return reply.code(201).send(await addDomain(ctx, project.id, body.domain));
    },
  );

  app.get(
    '/domains/:id',
    { schema: { tags, summary: 'Retrieve a domain', params: IdParams, response: { 200: Domain } } },
    async ({ project, params }) => getDomain(ctx, project.id, params.id),
  );

  app.get(
    '/domains/:id/zone',
    {
      schema: {
        tags,
        summary: 'Download the DNS records of a domain',
        description: 'A zone file in the format of BIND, which most DNS providers import.',
        params: IdParams,
        response: {
          200: { description: 'The zone file.', content: { 'text/dns': { schema: z.string() } } },
        },
      },
    },
    async ({ project, params }, reply) =>
      reply.header('Content-Type', 'text/dns; charset=utf-8').send(await getZone(ctx, project.id, params.id)),
  );

  for (const method of ['GET', 'POST'] as const)
    app.route({
      method,
      url: '/domains/:id/verify',
      schema: {
        tags,
        summary: 'Check a domain now',
        description:
          'Queries the DNS and returns the domain with its new status. If the DNS does not respond, the domain ' +
          'stays unchanged, including `lastCheckedAt`. GET and POST do the same.',
        params: IdParams,
        response: { 200: Domain },
      },
      handler: async ({ project, params }) => verifyDomain(ctx, project.id, params.id),
    });

  app.delete(
    '/domains/:id',
    {
      schema: {
        tags,
        summary: 'Delete a domain',
        description:
          'Returns 409 while templates, workflow steps (through their template), or unsent campaigns use the ' +
          'domain; `details` lists the first 20 of each. Sessions require the role OWNER or ADMIN.',
        params: IdParams,
        response: { 204: z.null() },
      },
    },
    async ({ project, account, params }, reply) => {
      await requireDomainManager(ctx, project.id, account?.id);
      await removeDomain(ctx, project.id, params.id);
      return reply.code(204).send(null);
    },
  );
};
