/** The versions of templates. Beyond the specification. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { getVersion, listVersions, restoreVersion } from '../../domain/templates/versions.js';
import { editedFields } from '../design-schema.js';
import { CursorQuery, cursorPage, EmailType, IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';
import { Template } from './templates.js';

const listed = {
  version: z.int().describe('1 for the content at creation.'),
  subject: z.string().nullable(),
  createdAt: Timestamp,
  createdBy: z.string().nullable().describe('The id of the user who made the change. Null for an API key.'),
};

const ListedVersion = z.object(listed).meta({ id: 'ListedTemplateVersion' });

const TemplateVersion = z
  .object({
    ...listed,
    preheader: z.string().nullable(),
    ...editedFields,
    body: z.string().nullable(),
    from: z.string().nullable(),
    fromName: z.string().nullable(),
    replyTo: z.string().nullable(),
    type: EmailType,
    draft: z.boolean().describe('Whether the template was a draft.'),
  })
  .meta({ id: 'TemplateVersion' });

const VersionParams = IdParams.extend({ version: z.string() });

const tags = ['Templates'];

export const templateVersionRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/templates/:id/versions',
    {
      schema: {
        tags,
        summary: 'List the versions of a template',
        description: 'Every change creates a version. Newest first.',
        params: IdParams,
        querystring: CursorQuery,
        response: { 200: cursorPage(ListedVersion) },
      },
    },
    async ({ project, params, query }) => listVersions(ctx, project.id, params.id, query),
  );

  app.get(
    '/templates/:id/versions/:version',
    {
      schema: {
        tags,
        summary: 'Retrieve a version of a template',
        params: VersionParams,
        response: { 200: TemplateVersion },
      },
    },
    async ({ project, params }) => getVersion(ctx, project.id, params.id, params.version),
  );

  app.post(
    '/templates/:id/versions/:version/restore',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Restore a version of a template',
        description:
          'Creates a new version with the content of the old one, and returns the template. Its name and description ' +
          'stay. If it has this content already, nothing changes. A version that was a draft makes the template a ' +
          'draft. Returns 403 if the sender domain of another version is no longer verified.',
        params: VersionParams,
        response: { 200: Template },
      },
    },
    async ({ project, params, account, expected }) =>
      restoreVersion(ctx, project.id, params.id, params.version, { changedBy: account?.id ?? null, expected }),
  );
};
