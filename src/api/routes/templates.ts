/** Templates. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { getTemplate, listTemplates, templateUsage } from '../../domain/templates/get.js';
import { sendTemplateTest } from '../../domain/templates/use.js';
import { createTemplate, deleteTemplate, duplicateTemplate, updateTemplate } from '../../domain/templates/write.js';
import {
  AsDraft,
  DRAFT_HOLE,
  DraftAddress,
  DraftSubject,
  DraftText,
  IsDraft,
  isDraft,
  NotDraft,
  Problems,
  TestBody,
  TestEmail,
} from '../draft-schema.js';
import { editedFields, editorFields, requireBody } from '../design-schema.js';
import { flatError, requireField } from '../error-replies.js';
import { EmailAddress, EmailType, IdParams, Preheader, Subject, Timestamp, page, pageQuery } from '../schemas.js';
import { withTypes } from '../typed.js';

export const Template = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    subject: z.string().nullable().describe(DRAFT_HOLE),
    preheader: z.string().nullable(),
    ...editedFields,
    body: z.string().nullable().describe(DRAFT_HOLE),
    from: z.string().nullable().describe(DRAFT_HOLE),
    fromName: z.string().nullable(),
    replyTo: z.string().nullable(),
    type: EmailType,
    draft: IsDraft,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    problems: Problems,
  })
  .meta({ id: 'Template' });

const PatchBody = z.object({
  name: z.string().trim().min(1).optional().describe('For internal use. Recipients never see it.'),
  description: z.string().nullish().describe('For internal use. Recipients never see it.'),
  subject: Subject.optional(),
  preheader: Preheader,
  ...editorFields,
  body: z.string().min(1).optional().describe('HTML with `{{ variable }}` placeholders.'),
  from: EmailAddress.optional().describe('The domain must be verified.'),
  fromName: z
    .string()
    .max(320)
    .regex(/^[^\r\n]*$/, 'must not contain newline characters')
    .nullish(),
  replyTo: EmailAddress.nullish(),
  type: EmailType.optional(),
});

/** The fields of a draft can be empty. */
const draftFields = { subject: DraftSubject, body: DraftText, from: DraftAddress, draft: AsDraft };

const CreateBody = z.discriminatedUnion('draft', [
  requireBody(
    PatchBody.required({ name: true, subject: true, from: true }).extend({
      type: EmailType.default('MARKETING'),
      draft: NotDraft,
    }),
  ),
  PatchBody.required({ name: true }).extend({ type: EmailType.default('MARKETING'), ...draftFields }),
]);

const UpdateBody = z.discriminatedUnion('draft', [
  PatchBody.extend({ draft: NotDraft }),
  PatchBody.extend(draftFields),
]);

const ListQuery = pageQuery(['createdAt', 'name', 'updatedAt']).extend({
  type: EmailType.optional(),
  draft: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
});

const Usage = z
  .object({
    campaigns: z.array(z.object({ id: z.string(), name: z.string() })),
    workflowSteps: z.array(
      z.object({ id: z.string(), name: z.string(), workflowId: z.string(), workflowName: z.string() }),
    ),
    emailsSent: z.int().describe('Emails with this template that a mail server accepted.'),
  })
  .meta({ id: 'TemplateUsage' });

export const templateRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/templates',
    {
      schema: {
        tags: ['Templates'],
        summary: 'List templates',
        description:
          '`search` matches part of the name, description, or subject. Case-insensitive. `draft` selects drafts, ' +
          'or the other templates. An unrecognized `type` returns 422.',
        querystring: ListQuery,
        response: { 200: page(Template) },
      },
    },
    async ({ project, query }) => listTemplates(ctx, project.id, query),
  );

  app.post(
    '/templates',
    {
      preValidation: requireField('from', isDraft),
      schema: {
        tags: ['Templates'],
        summary: 'Create a template',
        description:
          'The subject and body must be valid templates; a syntax error returns 422 with its line and column. ' +
          'Returns 403 if the domain of `from` is not verified. With `draft: true`, only `name` is required, and ' +
          'syntax errors and unverified domains are listed in `problems`. A draft with errors cannot be used. With a ' +
          '`design`, the server writes the `body`.',
        body: CreateBody,
        response: { 201: Template, 400: flatError('The field `from` is missing, or the body is not valid JSON.') },
      },
    },
    async ({ project, body, account }, reply) =>
      reply.code(201).send(await createTemplate(ctx, project.id, body, { changedBy: account?.id ?? null })),
  );

  app.get(
    '/templates/:id',
    {
      config: { revisioned: true },
      schema: { tags: ['Templates'], summary: 'Retrieve a template', params: IdParams, response: { 200: Template } },
    },
    async ({ project, params }) => getTemplate(ctx, project.id, params.id),
  );

  app.patch(
    '/templates/:id',
    {
      config: { revisioned: true },
      schema: {
        tags: ['Templates'],
        summary: 'Update a template',
        description:
          'Changes only the given fields, under the rules of creation. Null clears an optional field. Emails ' +
          'that were accepted before keep their content. With `draft: true`, the rules of drafts apply. A draft ' +
          'stays one until `draft: false`, which returns 422 or 403 if it is not complete. A `design` makes the editor ' +
          '`blocks`. A changed `body` alone makes it `html` and drops the design.',
        params: IdParams,
        body: UpdateBody,
        response: { 200: Template },
      },
    },
    async ({ project, params, body, account, expected }) =>
      updateTemplate(ctx, project.id, params.id, body, { changedBy: account?.id ?? null, expected }),
  );

  app.delete(
    '/templates/:id',
    {
      config: { revisioned: true },
      schema: {
        tags: ['Templates'],
        summary: 'Delete a template',
        description:
          'Returns 409 while a workflow step uses the template. Campaigns that were created from it keep their ' +
          'content.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async ({ project, params, expected }, reply) => {
      await deleteTemplate(ctx, project.id, params.id, expected);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/templates/:id/duplicate',
    {
      schema: {
        tags: ['Templates'],
        summary: 'Duplicate a template',
        description: 'Returns the new template. Its name is the original name followed by ` (copy)`.',
        params: IdParams,
        response: { 201: Template },
      },
    },
    async ({ project, params, account }, reply) =>
      reply.code(201).send(await duplicateTemplate(ctx, project.id, params.id, { changedBy: account?.id ?? null })),
  );

  app.post(
    '/templates/:id/test',
    {
      schema: {
        tags: ['Templates'],
        summary: 'Send a test email',
        description:
          'The subject is prefixed with `[TEST] `, and the content uses the data of the contact. Test emails are ' +
          'counted nowhere. Returns 422 with the list of problems for a draft with errors, and 403 if the sender ' +
          "domain is not verified. `id` is the email's id for `GET /emails/:id`.",
        params: IdParams,
        body: TestBody,
        response: { 200: TestEmail },
      },
    },
    async ({ project, params, body }) => sendTemplateTest(ctx, project.id, params.id, body),
  );

  app.get(
    '/templates/:id/usage',
    {
      schema: {
        tags: ['Templates'],
        summary: 'Retrieve the usage of a template',
        params: IdParams,
        response: { 200: Usage },
      },
    },
    async ({ project, params }) => templateUsage(ctx, project.id, params.id),
  );
};
