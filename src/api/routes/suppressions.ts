/** Suppressed addresses: list, read, add by hand, lift. Beyond the specification. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { SUPPRESSION_REASONS } from '../../domain/suppressions/sql.js';
import { liftSuppression, suppress } from '../../domain/suppressions/change.js';
import { getSuppression, listSuppressions } from '../../domain/suppressions/list.js';
import { CursorQuery, cursorPage, EmailAddress, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const Reason = z.enum(SUPPRESSION_REASONS);

const Suppression = z
  .object({
    email: z.string().describe('In lower case'),
    reason: Reason.describe(
      '`bounce`: an email to it bounced for good; `complaint`: its reader called one spam; `manual`: by this endpoint',
    ),
    detail: z
      .string()
      .nullable()
      .describe('The words of the mail server or the provider, or those that it was suppressed with'),
    emailId: z.string().nullable().describe('The email that it was about, for `GET /emails/:id`'),
    createdAt: Timestamp,
  })
  .meta({ id: 'Suppression' });

const ListQuery = CursorQuery.extend({
  reason: Reason.optional(),
  search: z.string().optional().describe('A part of the address, in any case'),
});
const AddressParams = z.object({ email: z.string().describe('The address, URL-encoded') });
const SuppressBody = z.object({
  email: EmailAddress,
  reason: Reason.default('manual').describe('Another one than `manual` is for a list that comes from elsewhere'),
  detail: z.string().max(1000).nullish().describe('Why, in your own words'),
});

const tags = ['Suppressions'];
const BEYOND = 'Beyond the specification.';

export const suppressionRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/suppressions',
    {
      schema: {
        tags,
        summary: 'List suppressed addresses',
        description:
          `${BEYOND} The newest first. A suppressed address gets no MARKETING or HEADLESS mail, whatever its contact's \`subscribed\` says, and even when the contact is deleted and made anew. Permanent bounces and complaints ` +
          'suppress an address, and unsubscribe its contact. TRANSACTIONAL mail still goes.',
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
        summary: 'Why an address is suppressed',
        description: `${BEYOND} 404 \`SUPPRESSION_NOT_FOUND\` when it is not.`,
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
          `${BEYOND} It need not be a contact's; a contact stays as it is, and only the list keeps mail away. 201 when it was not suppressed; else 200, and what is known of it stays, unless the new reason is a stronger one ` +
          '(a complaint before a bounce before a decision by hand).',
        body: SuppressBody,
        response: { 200: Suppression.describe('It was suppressed already'), 201: Suppression },
      },
    },
    async ({ project, body }, reply) => {
      const { suppression, isNew } = await suppress(ctx, project.id, body);
      return reply.code(isNew ? 201 : 200).send(suppression);
    },
  );

  app.delete(
    '/suppressions/:email',
    {
      schema: {
        tags,
        summary: 'Lift a suppression',
        description: `${BEYOND} The contact does not become subscribed by it. A reader who subscribes on the page behind a link of an email to that very address lifts a bounce or a complaint too.`,
        params: AddressParams,
        response: { 204: z.null().describe('Lifted') },
      },
    },
    async ({ project, params }, reply) => {
      await liftSuppression(ctx, project.id, params.email);
      return reply.code(204).send(null);
    },
  );
};
