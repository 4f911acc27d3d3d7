/** Contact lookup by address, and the fields of contacts. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { deleteField, fieldUsage, fieldValues, listFields, renameField } from '../../domain/contacts/fields.js';
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
        .describe('The type of most values. A date is a string with an ISO 8601 date or timestamp.'),
      coverage: z.number().describe('The percentage of contacts that have the field.'),
    }),
  ),
  count: z.int(),
});

const FieldParams = z.object({ field: z.string().describe('The field, with or without the prefix `data.`.') });
const Named = z.array(z.object({ id: z.string(), name: z.string() }));

const Usage = z
  .object({
    usedInSegments: Named,
    usedInCampaigns: Named.describe('Campaigns that are DRAFT, SCHEDULED, or SENDING.'),
    usedInWorkflows: Named,
    contactCount: z.int(),
    canDelete: z.boolean(),
  })
  .meta({ id: 'ContactFieldUsage' });

const tags = ['Contacts'];

export const contactFieldRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.post(
    '/contacts/lookup',
    {
      config: { effect: 'read' },
      schema: {
        tags,
        summary: 'Look up contacts by address',
        description:
          'Accepts up to 500 addresses. The response has each address once, normalized (lowercase, the domain ' +
          'in ASCII) and in the order of the request. Malformed addresses are in `notFound`.',
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
        summary: 'List contact fields',
        description:
          'Returns the standard fields and every key in the data of any contact, sorted by name. In projects with ' +
          '200,000 contacts or more, the result can be older than a minute, and the first one is from a sample.',
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
        summary: 'List the values of a field',
        description:
          'Returns distinct values, the most frequent first. `count` is the number of values in the response. In ' +
          'projects with 200,000 contacts or more, the result can be older than a minute, and the first one is from ' +
          'a sample.',
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
        summary: 'Retrieve the usage of a field',
        description:
          'Covers the conditions of segments and campaigns, and workflow steps. Standard fields cannot be ' +
          'deleted.',
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
          'Returns 409 while the field is in use, and 400 for a standard field. The field is deleted in ' +
          'batches of several thousand contacts. If a call is interrupted, repeat it to continue.',
        params: FieldParams,
        response: { 200: z.object({ deletedFrom: z.int() }) },
      },
    },
    async ({ project, params }) => deleteField(ctx, project.id, params.field),
  );

  app.post(
    '/contacts/fields/:field/rename',
    {
      schema: {
        tags,
        summary: 'Rename a field of every contact',
        description:
          'Returns 409 while a segment, an open campaign, or a workflow uses the field, and 400 for a standard field. ' +
          'Contacts that also have a field with the new name stay as they are: `notRenamedIn` counts them. Templates ' +
          'are not changed. The field is renamed in batches of several thousand contacts. If a call is interrupted, ' +
          'repeat it to continue.',
        params: FieldParams,
        body: z.object({
          to: z
            .string()
            .trim()
            .min(1)
            .max(100)
            .describe('The new name, with or without the prefix `data.`.')
            .meta({ examples: ['tier'] }),
        }),
        response: { 200: z.object({ renamedIn: z.int(), notRenamedIn: z.int() }) },
      },
    },
    async ({ project, params, body }) => renameField(ctx, project.id, params.field, body.to),
  );
};
