/** Queries for contacts by conditions. Beyond the specification. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { BULK_OPERATIONS } from '../../domain/bulk/params.js';
import { requestBulkChange } from '../../domain/bulk/request.js';
import { previewCondition } from '../../domain/contact-queries/preview.js';
import { queryContacts } from '../../domain/contact-queries/query.js';
import { listContactExecutions } from '../../domain/contacts/executions.js';
import { getContact } from '../../domain/contacts/get.js';
import { listEmails } from '../../domain/emails/log.js';
import { ContactQueryFields } from '../contact-query-schema.js';
import { ContactData, CursorQuery, cursorPage, IdParams } from '../schemas.js';
import { withTypes } from '../typed.js';
import { Contact } from './contacts.js';
import { LoggedEmail } from './emails.js';
import { Execution } from './executions.js';

const QueryBody = ContactQueryFields.extend({
  cursor: z.string().max(2000).optional().describe('The cursor of the previous page, with the same query and order.'),
  position: z
    .int()
    .min(0)
    .max(100_000_000)
    .optional()
    .describe('The zero-based rank of the first contact of the page. Not together with `cursor`.'),
  limit: z.int().min(1).max(500).default(50),
}).meta({ id: 'ContactQuery' });

const QueriedContacts = z
  .object({
    data: z.array(Contact),
    cursor: z.string().nullable().describe('Null on the last page.'),
    position: z
      .int()
      .describe('The zero-based rank of the first contact. With a cursor, it counts from the page without one.'),
    total: z.int().nullable().describe('The exact number of matches. Null while they are being counted.'),
  })
  .meta({ id: 'QueriedContacts' });

const PreviewBody = z.object({
  condition: z
    .record(z.string(), z.unknown())
    .describe('A condition as in `POST /contacts/query`, whose filters can be incomplete.'),
});

const Preview = z
  .object({
    total: z.int(),
    filters: z.array(
      z.object({ path: z.string().describe('The place of a filter, such as `groups.0.filters.1`.'), total: z.int() }),
    ),
    incomplete: z.array(z.string()).describe('The places of the filters that are ignored.'),
    sample: z.array(Contact).describe('Up to 10 contacts that match, newest first.'),
  })
  .meta({ id: 'ContactPreview' });

/** As many ids as one request can name. */
const MAX_IDS = 10_000;
const Ids = z.array(z.uuid()).max(MAX_IDS);

const BulkBody = z
  .object({
    operation: z.enum(BULK_OPERATIONS),
    data: ContactData.optional().describe('Required for `set`. The rules of `PATCH /contacts/:id` apply.'),
    segmentId: z.string().optional().describe('Required for `addToSegment` and `removeFromSegment`: a static segment.'),
    contactIds: Ids.min(1).optional().describe('The contacts. Not together with `query`.'),
    // Strict: with an unknown part ignored, more contacts would change than were meant.
    query: z
      .strictObject(ContactQueryFields.shape)
      .optional()
      .describe('The contacts that match when the job begins. An empty query matches all contacts.'),
    except: Ids.default([]).describe('Contacts that stay unchanged.'),
  })
  .meta({ id: 'BulkChange' });

const ContactExecution = Execution.extend({ workflowName: z.string() }).meta({ id: 'ContactExecution' });

const Accepted = z.object({ jobId: z.string() });

const tags = ['Contacts'];

export const contactQueryRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.post(
    '/contacts/query',
    {
      schema: {
        tags,
        summary: 'Query contacts',
        description:
          'Returns a page of the contacts that match all given parts of the query; an empty query matches all ' +
          'contacts. A page begins after a `cursor` or at a `position`. Pages after cursors neither repeat nor omit ' +
          'contacts that do not change.\n\nIn projects with 200,000 contacts or more, the contacts of a query are ' +
          'counted when it is first read. Until then, `total` can be null: repeat the request to get it. `total` and ' +
          'the pages at a `position` are based on a count that is at most a minute old. Pages omit contacts that no ' +
          'longer match.',
        body: QueryBody,
        response: { 200: QueriedContacts },
      },
    },
    async ({ project, body }) => queryContacts(ctx, project.id, body),
  );

  app.post(
    '/contacts/preview',
    {
      schema: {
        tags,
        summary: 'Preview a condition',
        description:
          'Counts the contacts that match a condition, and those that match each of its filters, now. For an editor ' +
          'of conditions: filters that lack a field, an operator, a value, or a unit are ignored and listed in ' +
          '`incomplete`.',
        body: PreviewBody,
        response: { 200: Preview },
      },
    },
    async ({ project, body }) => previewCondition(ctx, project.id, body.condition),
  );

  app.post(
    '/contacts/bulk',
    {
      schema: {
        tags,
        summary: 'Change many contacts',
        description:
          'Queues a job that changes the given contacts, or those of a query; poll `GET /jobs/:id` for its progress. ' +
          'The contacts of a query are fixed when the job begins: contacts that match later are not changed, and ' +
          'contacts that no longer match are. Ids that match no contact are failures.\n\n`subscribe` and ' +
          '`unsubscribe` end snoozes and record events for changed contacts, `delete` follows `DELETE /contacts/:id`, ' +
          '`set` merges `data` into the data of each contact, and `suppress` suppresses the address of each contact ' +
          'with the reason `manual`. Contacts that already are as requested count as skipped. `DELETE /jobs/:id` ' +
          'cancels the job; its `result` then has exactly the changes that were made.',
        body: BulkBody,
        response: { 202: Accepted },
      },
    },
    async ({ project, account, body }, reply) =>
      reply.code(202).send({ jobId: await requestBulkChange(ctx, project.id, body, account?.id ?? null) }),
  );

  app.get(
    '/contacts/:id/executions',
    {
      schema: {
        tags,
        summary: "List a contact's workflow executions",
        description: 'Newest first, of all workflows.',
        params: IdParams,
        querystring: CursorQuery,
        response: { 200: cursorPage(ContactExecution) },
      },
    },
    async ({ project, params, query }) => listContactExecutions(ctx, project.id, params.id, query),
  );

  app.get(
    '/contacts/:id/emails',
    {
      schema: {
        tags,
        summary: "List a contact's emails",
        description: 'Newest first, like `GET /emails` with the filter `contactId`.',
        params: IdParams,
        querystring: CursorQuery,
        response: { 200: cursorPage(LoggedEmail) },
      },
    },
    async ({ project, params, query }) => {
      const contact = await getContact(ctx, project.id, params.id);
      return listEmails(ctx, project.id, { ...query, contactId: contact.id });
    },
  );
};
