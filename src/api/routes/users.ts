/** The logged-in user and their projects. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import {
  createProject,
  deleteProject,
  listProjects,
  regenerateKeys,
  updateProject,
} from '../../domain/projects/projects.js';
import { resetProject } from '../../domain/projects/reset.js';
import { IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const Tracking = z.enum(['ENABLED', 'DISABLED', 'MARKETING_ONLY']);
const ProjectName = z.string().trim().min(1).max(100);
/** A language tag as in BCP 47: `en`, `pt-BR`, `zh-Hans`. */
const Language = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag such as "en" or "pt-BR"');

const projectFields = {
  id: z.string(),
  name: z.string(),
  public: z.string().describe('The public key, `pk_…`'),
  secretLast4: z.string().describe('The end of the secret key, to tell it by'),
  disabled: z.boolean(),
  disabledReason: z.string().nullable(),
  tracking: Tracking,
  language: z.string(),
  billingLimitWorkflows: z.int().nullable(),
  billingLimitCampaigns: z.int().nullable(),
  billingLimitTransactional: z.int().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};
const Project = z.object(projectFields).meta({ id: 'Project' });
const ProjectWithSecret = z
  .object({ ...projectFields, secret: z.string().describe('The secret key, `sk_…`: shown here and never again') })
  .meta({ id: 'ProjectWithSecret' });

const CreateBody = z.object({ name: ProjectName });
const UpdateBody = z.object({
  name: ProjectName.optional(),
  tracking: Tracking.optional(),
  language: Language.optional(),
  disabled: z.boolean().optional().describe('false, and nothing else beside it, enables a project that was disabled'),
});

export const userRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const config = { auth: 'session' } as const;
  const tags = ['Projects'];

  app.get(
    '/users/@me',
    {
      config: { ...config, unverified: true },
      schema: {
        tags: ['Authentication'],
        summary: 'The logged-in user',
        response: { 200: z.object({ id: z.string(), email: z.string(), emailVerified: z.boolean() }) },
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
        summary: 'The projects that the user is a member of',
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
        description: 'The user becomes its owner. The secret key is shown in this answer only.',
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
        summary: "Change a project's settings",
        description:
          'For its owner and admins; a member gets 403 `FORBIDDEN`, anybody else 404. What is not given stays. A disabled project: 403 `PROJECT_DISABLED`, unless the body is `{ "disabled": false }`, which enables it again: what was cancelled stays so, and only what comes from then on can disable it for its reputation once more.',
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
        summary: 'Delete a project with everything in it',
        description:
          'For its owner only; irreversible. Campaigns, jobs and workflow executions under way are cancelled, and emails that were not handed over never go out. A disabled project can be deleted too.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted') },
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
        summary: 'Replace both keys of a project',
        description:
          'For its owner and admins. The old keys stop working at once. The secret key is shown in this answer only. A disabled project takes new keys too.',
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
        summary: 'Delete everything in a project but the project itself',
        description:
          'For its owner and admins; irreversible. First everything that runs is cancelled; then contacts, templates, campaigns, segments, workflows, events and emails are deleted, with what hangs on them. The project ' +
          'keeps its settings, keys, members and domains, and the suppressed addresses and figures that its reputation is judged by. The answer comes when all is gone; of a large project that takes minutes, and if it is ' +
          'cut short, nothing runs any more, a part of the content is gone, and another call goes on. What is written meanwhile goes too, or stays. A disabled project: 403 `PROJECT_DISABLED`.',
        params: IdParams,
        response: { 200: Project },
      },
    },
    async ({ account, params }) => resetProject(ctx, account.id, params.id),
  );
};
