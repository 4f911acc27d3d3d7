/** Sender domains. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import {
  addDomain,
  listDomains,
  removeDomain,
  requireDomainManager,
  verifyDomain,
} from '../../domain/domains/manage.js';
import { RECORD_PURPOSES, RECORD_STATUSES, RECORD_TYPES } from '../../domain/domains/records.js';
import { DOMAIN_STATUSES } from '../../domain/domains/state.js';
import { IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const DomainRecord = z
  .object({
    type: z.enum(RECORD_TYPES),
    name: z.string().describe('The full name, without a final dot'),
    value: z.string(),
    purpose: z.enum(RECORD_PURPOSES),
    required: z
      .boolean()
      .describe('Only the DKIM record is: it alone decides whether the domain is verified. The others are advice.'),
    status: z
      .enum(RECORD_STATUSES)
      .describe(
        'PENDING: not found yet; VERIFIED: found and right; FAILED: something else is published under this name',
      ),
  })
  .meta({ id: 'DomainRecord' });

const Domain = z
  .object({
    id: z.string(),
    domain: z.string().describe('In its ASCII form, lower case'),
    projectId: z.string(),
    status: z
      .enum(DOMAIN_STATUSES)
      .describe('FAILED: the DKIM record is right, but the domain is verified in another project'),
    verified: z.boolean(),
    records: z.array(DomainRecord),
    lastCheckedAt: Timestamp.nullable().describe('When the DNS last answered'),
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
        'At least two labels of letters, digits and inner hyphens; other scripts are converted to ASCII. No address, URL, wildcard or IP address.',
      examples: ['mail.example.com'],
    }),
});

const tags = ['Domains'];

export const domainRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/domains/project/:projectId',
    {
      config: { projectFrom: 'path' },
      schema: {
        tags,
        summary: 'List the domains of a project',
        description:
          "Verified and pending ones, the newest first. A key's project must be the one of the path; a session needs no X-Project-Id here.",
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
          'Answers the DNS records to publish, among them a DKIM key made for this domain, and checks them a first time. From then on they are checked every 5 minutes until the ' +
          'domain is verified, and daily after that; a verified domain whose DKIM record is gone for 72 hours is pending again. 409 when the domain is in this project already, or ' +
          'verified in another one. Sessions: owners and admins only.',
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
    '/domains/:id/verify',
    {
      schema: {
        tags,
        summary: 'Check a domain now',
        description:
          'Asks the DNS and answers the domain with its new status. When the DNS does not answer, the domain comes back unchanged, `lastCheckedAt` included.',
        params: IdParams,
        response: { 200: Domain },
      },
    },
    async ({ project, params }) => verifyDomain(ctx, project.id, params.id),
  );

  app.delete(
    '/domains/:id',
    {
      schema: {
        tags,
        summary: 'Remove a domain',
        description:
          '409 while templates, workflow steps (by their template) or unsent campaigns send from it; `details` names the first 20 of each. Sessions: owners and admins only.',
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
