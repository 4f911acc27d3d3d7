/** Contacts: list, upsert, read, change, delete. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { deleteContact } from '../../domain/contacts/delete.js';
import { getContact, listContacts } from '../../domain/contacts/get.js';
import { updateContact } from '../../domain/contacts/update.js';
import { upsertContact } from '../../domain/contacts/upsert.js';
import { flatError, requireField } from '../error-replies.js';
import { ContactData, CursorQuery, EmailAddress, IdParams, Timestamp, cursorPage, fallingBack } from '../schemas.js';
import { withTypes } from '../typed.js';

const contactFields = {
  id: z.string(),
  email: z.string().describe('In lower case; unique in the project'),
  subscribed: z.boolean(),
  snoozedUntil: Timestamp.nullable().describe('Until then the contact is not subscribed; then it is again'),
  data: ContactData,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const Contact = z.object(contactFields).meta({ id: 'Contact' });

const UpsertedContact = z
  .object({ ...contactFields, _meta: z.object({ isNew: z.boolean(), isUpdate: z.boolean() }) })
  .meta({ id: 'UpsertedContact' });

const ListQuery = CursorQuery.extend({
  search: z.string().optional().describe('A part of the address, in any case'),
  status: z.enum(['subscribed', 'unsubscribed', 'snoozed']).optional(),
  subscribed: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
  sort: fallingBack(['createdAt', 'email'], 'createdAt'),
  dir: fallingBack(['asc', 'desc'], 'desc'),
});

const UpsertBody = z.object({ email: EmailAddress, subscribed: z.boolean().optional(), data: ContactData.optional() });

const PatchBody = z.object({
  email: EmailAddress.optional(),
  subscribed: z.boolean().optional(),
  data: ContactData.optional(),
  snoozedUntil: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 timestamp' })
    .transform((value) => new Date(value))
    .nullish(),
});

const DATA_RULES =
  '`data` is merged into what is stored: `null` removes a field, an empty string is ignored, `{ value, persistent: true }` stores its value, and `{ value, persistent: false }`, which belongs to ' +
  'sends and events, stores nothing. Reserved keys are dropped. A contact holds at most 100 keys and 64 KiB.';

export const contactRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/contacts',
    {
      schema: {
        tags: ['Contacts'],
        summary: 'List contacts',
        description:
          'A snoozed contact is not subscribed, so `status=unsubscribed` and `subscribed=false` show it too. A cursor belongs to its `sort`, and stays valid when contacts are added or deleted; ' +
          'it is null on the last page.',
        querystring: ListQuery,
        response: { 200: cursorPage(Contact) },
      },
    },
    async ({ project, query }) => listContacts(ctx, project.id, query),
  );

  app.post(
    '/contacts',
    {
      preValidation: requireField('email'),
      schema: {
        tags: ['Contacts'],
        summary: 'Create or update the contact of an address',
        description: `201 for a new contact, 200 for a known one. Without \`subscribed\` a new contact is subscribed and a known one stays as it is. ${DATA_RULES}`,
        body: UpsertBody,
        response: {
          200: UpsertedContact,
          201: UpsertedContact,
          400: flatError('The field `email` is missing, or the body is not valid JSON.'),
        },
      },
    },
    async ({ project, body }, reply) => {
      const contact = await upsertContact(ctx, project.id, body);
      return reply.code(contact._meta.isNew ? 201 : 200).send(contact);
    },
  );

  app.get(
    '/contacts/:id',
    { schema: { tags: ['Contacts'], summary: 'One contact', params: IdParams, response: { 200: Contact } } },
    async ({ project, params }) => getContact(ctx, project.id, params.id),
  );

  app.patch(
    '/contacts/:id',
    {
      schema: {
        tags: ['Contacts'],
        summary: 'Change a contact',
        description:
          `Only what is given changes. A different \`subscribed\` writes the event \`contact.subscribed\` or \`contact.unsubscribed\`, and writing it ends a snooze. A future \`snoozedUntil\` makes the contact ` +
          `unsubscribed until then; null ends the snooze and leaves \`subscribed\` as it is. 409 when another contact has the address. ${DATA_RULES}`,
        params: IdParams,
        body: PatchBody,
        response: { 200: Contact },
      },
    },
    async ({ project, params, body }) => updateContact(ctx, project.id, params.id, body),
  );

  app.delete(
    '/contacts/:id',
    {
      schema: {
        tags: ['Contacts'],
        summary: 'Delete a contact for good',
        description:
          'Its events, segment memberships and workflow executions go with it. Marketing and headless emails that were not handed over are cancelled; transactional ones still go out, and sent ones stay in the log.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted') },
      },
    },
    async ({ project, params }, reply) => {
      await deleteContact(ctx, project.id, params.id);
      return reply.code(204).send(null);
    },
  );
};
