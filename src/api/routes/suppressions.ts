/** Suppressed addresses. Beyond the specification. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { SUPPRESSION_REASONS } from '../../domain/suppressions/sql.js';
import {
  getSuppression,
  liftSuppression,
  listSuppressions,
  suppressAddress,
} from '../../domain/suppressions/suppressions.js';
import { CursorQuery, cursorPage, EmailAddress, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const Reason = z.enum(SUPPRESSION_REASONS);

const Suppression = z
  .object({
    email: z.string().describe('In lowercase.'),
    reason: Reason.describe(
      '`bounce`: an email bounced permanently. `complaint`: the recipient reported an email as spam. ' +
        '`manual`: added with this endpoint.',
    ),
    detail: z
      .string()
      .nullable()
      .describe('The message of the mail server or provider, or the `detail` of the request.'),
    emailId: z.string().nullable().describe('The id of the email that caused the suppression, for `GET /emails/:id`.'),
    createdAt: Timestamp,
  })
  .meta({ id: 'Suppression' });

const ListQuery = CursorQuery.extend({
  reason: Reason.optional(),
  search: z.string().optional().describe('Part of the address. Case-insensitive.'),
});
const AddressParams = z.object({ email: z.string().describe('The address, URL-encoded.') });
const SuppressBody = z.object({
  email: EmailAddress,
  reason: Reason.default('manual').describe('Use a reason other than `manual` to import a list from another service.'),
  detail: z.string().max(1000).nullish().describe('Your explanation.'),
});

const tags = ['Suppressions'];
const BEYOND = 'Beyond the specification.';

export const suppressionRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/suppressions',
    {
      schema: {
        tags,
        summary: 'List suppressed addresses',
        description:
          `${BEYOND} Newest first. A suppressed address gets no MARKETING or HEADLESS email, independent of ` +
          'the `subscribed` of its contact, and even if the contact is deleted and created again. Permanent ' +
          'bounces and complaints suppress an address and unsubscribe its contact. TRANSACTIONAL email is ' +
          'still sent.',
        querystring: ListQuery,
        response: { 200: cursorPage(Suppression) },
      },
    },
    async ({ project, query }) => listSuppressions(ctx, project.id, query),
  );

  app.get(
    '/suppressions/:email',
    {
      schema: {
        tags,
        summary: 'Retrieve a suppression',
        description: `${BEYOND} Returns 404 \`SUPPRESSION_NOT_FOUND\` if the address is not suppressed.`,
        params: AddressParams,
        response: { 200: Suppression },
      },
    },
    async ({ project, params }) => getSuppression(ctx, project.id, params.email),
  );

  app.post(
    '/suppressions',
    {
      schema: {
        tags,
        summary: 'Suppress an address',
        description:
          `${BEYOND} The address need not belong to a contact, and its contact stays unchanged. Returns 201 ` +
          'for a new suppression. Returns 200 if the address is already suppressed; the suppression then stays ' +
          'unchanged unless the new reason is stronger (complaint over bounce over manual).',
        body: SuppressBody,
        response: { 200: Suppression.describe('The address was already suppressed.'), 201: Suppression },
      },
    },
    async ({ project, body }, reply) => {
      const { suppression, isNew } = await suppressAddress(ctx, project.id, body);
      return reply.code(isNew ? 201 : 200).send(suppression);
    },
  );

  app.delete(
    '/suppressions/:email',
    {
      schema: {
        tags,
        summary: 'Delete a suppression',
        description:
          `${BEYOND} Does not subscribe the contact. A recipient who subscribes on the page of a link in an ` +
          'email to that address also deletes a bounce or complaint suppression.',
        params: AddressParams,
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async ({ project, params }, reply) => {
      await liftSuppression(ctx, project.id, params.email);
      return reply.code(204).send(null);
    },
  );
};
