/** Contacts. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { deleteContact } from '../../domain/contacts/delete.js';
import { getContact, listContacts } from '../../domain/contacts/get.js';
import { updateContact } from '../../domain/contacts/update.js';
import { upsertContact } from '../../domain/contacts/upsert.js';
import { flatError, requireField } from '../error-replies.js';
import { ContactData, CursorQuery, EmailAddress, IdParams, Timestamp, cursorPage, fallingBack } from '../schemas.js';
import { withTypes } from '../typed.js';

const contactFields = {
  id: z.string(),
  email: z.string().describe('In lowercase. Unique in the project.'),
  subscribed: z.boolean(),
  snoozedUntil: Timestamp.nullable().describe(
    'The time until which the contact is unsubscribed. The contact is then subscribed again.',
  ),
  timezone: z
    .string()
    .nullable()
    .describe('The IANA time zone of the contact. It is also the field `timezone` of the data.'),
  data: ContactData,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const Contact = z.object(contactFields).meta({ id: 'Contact' });

const UpsertedContact = z
  .object({ ...contactFields, _meta: z.object({ isNew: z.boolean(), isUpdate: z.boolean() }) })
  .meta({ id: 'UpsertedContact' });

const ListQuery = CursorQuery.extend({
  search: z.string().optional().describe('Part of the address. Case-insensitive.'),
  status: z.enum(['subscribed', 'unsubscribed', 'snoozed']).optional(),
  subscribed: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
  sort: fallingBack(['createdAt', 'email'], 'createdAt'),
  dir: fallingBack(['asc', 'desc'], 'desc'),
});

const ContactTimezone = z
  .string()
  .max(64)
  .nullish()
  .describe('An IANA time zone, such as `Europe/Berlin`. null removes it.');

const UpsertBody = z.object({
  email: EmailAddress,
  subscribed: z.boolean().optional(),
  timezone: ContactTimezone,
  data: ContactData.optional(),
});

const PatchBody = z.object({
  email: EmailAddress.optional(),
  subscribed: z.boolean().optional(),
  timezone: ContactTimezone,
  data: ContactData.optional(),
  snoozedUntil: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 timestamp' })
    .transform((value) => new Date(value))
    .nullish(),
});

const DATA_RULES =
  '`data` is merged into the stored data: `null` removes a field, an empty string is ignored, and `{ ' +
  'value, persistent: true }` stores its value. `{ value, persistent: false }` is meant for sends and ' +
  'events and stores nothing. Reserved keys are dropped. A contact has at most 100 keys and 64 KiB of ' +
  'data.';

export const contactRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/contacts',
    {
      schema: {
        tags: ['Contacts'],
        summary: 'List contacts',
        description:
          'Snoozed contacts are not subscribed, so `status=unsubscribed` and `subscribed=false` include them. ' +
          'A cursor is bound to its `sort` and stays valid when contacts are added or deleted. It is null on ' +
          'the last page.',
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
        summary: 'Create or update a contact',
        description:
          'Returns 201 for a new contact and 200 for an existing one. Without `subscribed`, a new contact is ' +
          `subscribed and an existing one stays unchanged. ${DATA_RULES}`,
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
    { schema: { tags: ['Contacts'], summary: 'Retrieve a contact', params: IdParams, response: { 200: Contact } } },
    async ({ project, params }) => getContact(ctx, project.id, params.id),
  );

  app.patch(
    '/contacts/:id',
    {
      schema: {
        tags: ['Contacts'],
        summary: 'Update a contact',
        description:
          'Changes only the given fields. A changed `subscribed` records the event `contact.subscribed` or ' +
          '`contact.unsubscribed`, and any `subscribed` ends a snooze. A future `snoozedUntil` unsubscribes ' +
          'the contact until then; null ends the snooze and leaves `subscribed` as it is. Returns 409 if ' +
          `another contact has the address. ${DATA_RULES}`,
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
        summary: 'Delete a contact permanently',
        description:
          'Also deletes its events, segment memberships, and workflow executions. Unsent marketing and ' +
          'headless emails are canceled. Transactional emails are still sent, and sent emails stay in the log.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async ({ project, params }, reply) => {
      await deleteContact(ctx, project.id, params.id);
      return reply.code(204).send(null);
    },
  );
};
