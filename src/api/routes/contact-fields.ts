/** Looking contacts up by address, and the fields that contacts have. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { deleteField, fieldUsage, fieldValues, listFields } from '../../domain/contacts/fields.js';
import { lookupContacts } from '../../domain/contacts/lookup.js';
import { positiveInteger } from '../schemas.js';
import { withTypes } from '../typed.js';

const LookupBody = z.object({ emails: z.array(z.string().min(1)).min(1).max(500) });
const LookupReply = z.object({ found: z.array(z.string()), notFound: z.array(z.string()) });

const Fields = z.object({
  fields: z.array(
    z.object({
      field: z.string().meta({ examples: ['email', 'data.plan'] }),
      type: z
        .enum(['string', 'number', 'boolean', 'date'])
        .describe('Of most values; a date is a text that is an ISO 8601 date or timestamp'),
      coverage: z.number().describe('How many of the contacts have it, in percent'),
    }),
  ),
  count: z.int(),
});

const FieldParams = z.object({ field: z.string().describe('With or without `data.` in front') });
const Named = z.array(z.object({ id: z.string(), name: z.string() }));

const Usage = z
  .object({
    usedInSegments: Named,
    usedInCampaigns: Named.describe('DRAFT, SCHEDULED and SENDING: one that has ended asks no more'),
    usedInWorkflows: Named,
    contactCount: z.int(),
    canDelete: z.boolean(),
  })
  .meta({ id: 'ContactFieldUsage' });

const tags = ['Contacts'];

export const contactFieldRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.post(
    '/contacts/lookup',
    {
      config: { effect: 'read' },
      schema: {
        tags,
        summary: 'Which addresses are contacts',
        description:
          'Up to 500 addresses; answered as contacts are kept (in lower case, the domain in ASCII), each once, in the order of the request. What is no address is not found.',
        body: LookupBody,
        response: { 200: LookupReply },
      },
    },
    async ({ project, body }) => lookupContacts(ctx, project.id, body.emails),
  );

  app.get(
    '/contacts/fields',
    {
      schema: {
        tags,
        summary: 'The fields of the contacts',
        description: 'The standard fields, and every key of the data of any contact, by name.',
        response: { 200: Fields },
      },
    },
    async ({ project }) => listFields(ctx, project.id),
  );

  app.get(
    '/contacts/fields/:field/values',
    {
      schema: {
        tags,
        summary: 'The values of a field',
        description: 'Distinct, the most frequent first; `count` is how many this answer has.',
        params: FieldParams,
        querystring: z.object({ limit: positiveInteger(100, 1000) }),
        response: {
          200: z.object({ field: z.string(), values: z.array(z.unknown()), count: z.int(), limit: z.int() }),
        },
      },
    },
    async ({ project, params, query }) => fieldValues(ctx, project.id, params.field, query.limit),
  );

  app.get(
    '/contacts/fields/:field/usage',
    {
      schema: {
        tags,
        summary: 'Where a field is used',
        description:
          'In the conditions of segments and campaigns, and in the steps of workflows. A standard field can not be deleted.',
        params: FieldParams,
        response: { 200: Usage },
      },
    },
    async ({ project, params }) => fieldUsage(ctx, project.id, params.field),
  );

  app.delete(
    '/contacts/fields/:field',
    {
      schema: {
        tags,
        summary: 'Delete a field from every contact',
        description:
          '409 while it is used; a standard field is a 400. In steps of some thousand contacts: a repeat goes on where an interrupted one ended.',
        params: FieldParams,
        response: { 200: z.object({ deletedFrom: z.int() }) },
      },
    },
    async ({ project, params }) => deleteField(ctx, project.id, params.field),
  );
};
