/** The logged-in user and their projects. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import {
  createProject,
  deleteProject,
  listProjects,
  regenerateKeys,
  updateProject,
} from '../../domain/projects/projects.js';
import { resetProject } from '../../domain/projects/reset.js';
import { EmailAddress, IdParams, Timestamp } from '../schemas.js';
import { CurrentUser } from './account.js';
import { SendWindow } from '../send-window-schema.js';
import { withTypes } from '../typed.js';

const Tracking = z.enum(['ENABLED', 'DISABLED', 'MARKETING_ONLY']);
const ProjectName = z.string().trim().min(1).max(100);
/** A language tag of BCP 47: `en`, `pt-BR`, `zh-Hans`. */
const Language = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag such as "en" or "pt-BR"');

const Brand = z.object({
  logoUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullable()
    .meta({ examples: ['https://example.com/logo.png'] }),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as "#1f4fd8"')
    .nullable()
    .meta({ examples: ['#1f4fd8'] }),
});
const FromName = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[^\r\n]*$/, 'must not contain newline characters');

/** The settings of a project that a request can change, apart from `disabled`. */
const settings = {
  name: ProjectName,
  tracking: Tracking,
  language: Language,
  timezone: z
    .string()
    .max(64)
    .describe('The name of an IANA time zone, for figures and schedules.')
    .meta({ examples: ['Europe/Berlin'] }),
  postalAddress: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .nullable()
    .describe('The postal address of the sender, for the footer of MARKETING emails.')
    .meta({ examples: ['Shop Ltd, 1 Example Street, Dublin'] }),
  sendWindow: SendWindow.nullable().describe(
    'The hours in which MARKETING and HEADLESS email of campaigns and workflows is sent. Null: at any time.',
  ),
  brand: Brand.nullable().describe('The logo and the color for the block editor.'),
  defaultFrom: EmailAddress.nullable().describe('The suggested sender of new content.'),
  defaultFromName: FromName.nullable(),
  trackMayChangeSubscription: z
    .boolean()
    .describe(
      'Whether `subscribed` of `POST /v1/track` changes known contacts. Requests with the secret key always can.',
    ),
};

const projectFields = {
  id: z.string(),
  name: z.string(),
  public: z.string().describe('The public key, `pk_…`.'),
  secretLast4: z.string().describe('The last four characters of the secret key.'),
  disabled: z.boolean(),
  disabledReason: z.string().nullable(),
  tracking: Tracking,
  language: z.string(),
  timezone: z.string().meta({ examples: ['Europe/Berlin'] }),
  postalAddress: z
    .string()
    .nullable()
    .meta({ examples: ['Shop Ltd, 1 Example Street, Dublin'] }),
  sendWindow: SendWindow.nullable(),
  brand: z.object({ logoUrl: z.string().nullable(), color: z.string().nullable() }).nullable(),
  defaultFrom: z.string().nullable(),
  defaultFromName: z.string().nullable(),
  trackMayChangeSubscription: z.boolean(),
  role: z.enum(['OWNER', 'ADMIN', 'MEMBER']).describe("The caller's role."),
  billingLimitWorkflows: z.int().nullable(),
  billingLimitCampaigns: z.int().nullable(),
  billingLimitTransactional: z.int().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};
const Project = z.object(projectFields).meta({ id: 'Project' });
const ProjectWithSecret = z
  .object({ ...projectFields, secret: z.string().describe('The secret key, `sk_…`. It is never returned again.') })
  .meta({ id: 'ProjectWithSecret' });

const CreateBody = z.object({ name: ProjectName });
const UpdateBody = z
  .object(settings)
  .partial()
  .extend({
    disabled: z
      .boolean()
      .optional()
      .describe('Only `false` has an effect, and only if it is the only field: it re-enables a disabled project.'),
  });

export const userRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const config = { auth: 'session' } as const;
  const tags = ['Projects'];

  app.get(
    '/users/@me',
    {
      config: { ...config, unverified: true },
      schema: {
        tags: ['Authentication'],
        summary: 'Retrieve the current user',
        response: { 200: CurrentUser },
      },
    },
    async ({ account: { id, email, emailVerified } }) => ({ id, email, emailVerified }),
  );

  app.get(
    '/users/@me/projects',
    {
      config,
      schema: {
        tags,
        summary: "List the user's projects",
        description: 'Newest first.',
        response: { 200: z.array(Project) },
      },
    },
    async ({ account }) => listProjects(ctx, account.id),
  );

  app.post(
    '/users/@me/projects',
    {
      config,
      schema: {
        tags,
        summary: 'Create a project',
        description: 'The user becomes the owner. Only this response contains the secret key.',
        body: CreateBody,
        response: { 201: ProjectWithSecret },
      },
    },
    async ({ account, body }, reply) => reply.code(201).send(await createProject(ctx, account.id, body.name)),
  );

  app.patch(
    '/users/@me/projects/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Update a project',
        description:
          'Requires the role OWNER or ADMIN (403 `FORBIDDEN` for members, 404 for non-members). Missing fields ' +
          'stay unchanged. A disabled project returns 403 `PROJECT_DISABLED`, unless the body is `{ ' +
          '"disabled": false }`, which re-enables it. Canceled campaigns and executions stay canceled, and ' +
          'only later figures can disable the project again for its reputation.',
        params: IdParams,
        body: UpdateBody,
        response: { 200: Project },
      },
    },
    async ({ account, params, body }) => updateProject(ctx, account.id, params.id, body),
  );

  app.delete(
    '/users/@me/projects/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete a project',
        description:
          'Requires the role OWNER. Deletes the project and all its content irreversibly. Running campaigns, ' +
          'jobs, and executions are canceled, and unsent emails are never sent. A disabled project can be ' +
          'deleted, too.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async ({ account, params }, reply) => {
      await deleteProject(ctx, account.id, params.id);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/users/@me/projects/:id/regenerate-keys',
    {
      config,
      schema: {
        tags,
        summary: 'Regenerate the keys of a project',
        description:
          'Requires the role OWNER or ADMIN. The old keys stop working immediately. Only this response ' +
          'contains the secret key. Also available for disabled projects.',
        params: IdParams,
        response: { 200: ProjectWithSecret },
      },
    },
    async ({ account, params }) => regenerateKeys(ctx, account.id, params.id),
  );

  app.post(
    '/users/@me/projects/:id/reset',
    {
      config,
      schema: {
        tags,
        summary: 'Reset a project',
        description:
          'Requires the role OWNER or ADMIN. Irreversible. Cancels everything that runs, then deletes ' +
          'contacts, templates, campaigns, segments, workflows, events, and emails, with all dependent data. ' +
          'The project keeps its settings, keys, members, and domains, and the suppressed addresses and ' +
          'figures of its reputation.\n\nThe response comes after the deletion, which takes minutes for a large ' +
          'project. If the call is interrupted, nothing runs anymore and a part of the content is deleted; ' +
          'repeat it to continue. Content that is created during the reset may be deleted or stay. A disabled ' +
          'project returns 403 `PROJECT_DISABLED`.',
        params: IdParams,
        response: { 200: Project },
      },
    },
    async ({ account, params }) => resetProject(ctx, account.id, params.id),
  );
};
