/** The members of a project, and its setup state. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { addMember, changeRole, ASSIGNABLE_ROLES, listMembers, removeMember } from '../../domain/projects/members.js';
import { readSetupState } from '../../domain/projects/setup-state.js';
import { EmailAddress, IdParams, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const Member = z
  .object({ userId: z.string(), email: z.string(), role: z.enum(['OWNER', ...ASSIGNABLE_ROLES]), createdAt: Timestamp })
  .meta({ id: 'Member' });
const AssignableRole = z.enum(ASSIGNABLE_ROLES);
const MemberParams = z.object({ id: z.string(), userId: z.string() });

const SetupState = z
  .object({
    hasVerifiedDomain: z.boolean(),
    contactCount: z.int(),
    hasEnabledWorkflow: z.boolean(),
    lastCampaignSentAt: Timestamp.nullable().describe(
      'The time at which the last recipient of the latest campaign reached a final status.',
    ),
    hasSubscription: z.boolean(),
    firstEmailSentAt: Timestamp.nullable().describe(
      'The first sent email that `RETENTION_DAYS` has not deleted; tests do not count.',
    ),
    firstEventAt: Timestamp.nullable().describe('The first tracked event that `RETENTION_DAYS` has not deleted.'),
    secretKeyLastUsedAt: Timestamp.nullable().describe(
      'Up to a minute before the last request with the current secret key.',
    ),
    publicKeyLastUsedAt: Timestamp.nullable().describe(
      'Up to a minute before the last request with the current public key.',
    ),
  })
  .meta({ id: 'SetupState' });

export const memberRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const config = { auth: 'session' } as const;
  const tags = ['Members'];

  app.get(
    '/projects/:id/setup-state',
    {
      config,
      schema: {
        tags: ['Projects'],
        summary: 'Retrieve the setup state of a project',
        description: 'Available to all members.',
        params: IdParams,
        response: { 200: SetupState },
      },
    },
    async ({ account, params }) => readSetupState(ctx, account.id, params.id),
  );

  app.get(
    '/projects/:id/members',
    {
      config,
      schema: {
        tags,
        summary: 'List the members of a project',
        description: 'Available to all members. In the order in which they joined, the owner first.',
        params: IdParams,
        response: { 200: z.array(Member) },
      },
    },
    async ({ account, params }) => listMembers(ctx, account.id, params.id),
  );

  app.post(
    '/projects/:id/members',
    {
      config,
      schema: {
        tags,
        summary: 'Add a member',
        description:
          'Requires the role OWNER or ADMIN. Returns 404 `USER_NOT_FOUND` for an address without an account, ' +
          'and 409 `CONFLICT` for a member. A project has one owner, who cannot be replaced.',
        params: IdParams,
        body: z.object({ email: EmailAddress, role: AssignableRole.default('MEMBER') }),
        response: { 201: Member },
      },
    },
    async ({ account, params, body }, reply) => reply.code(201).send(await addMember(ctx, account.id, params.id, body)),
  );

  app.patch(
    '/projects/:id/members/:userId',
    {
      config,
      schema: {
        tags,
        summary: "Change a member's role",
        description:
          'Requires the role OWNER or ADMIN. The role of the owner cannot be changed (403 `FORBIDDEN`). ' +
          'Returns 404 `USER_NOT_FOUND` for a user who is not a member.',
        params: MemberParams,
        body: z.object({ role: AssignableRole }),
        response: { 200: Member },
      },
    },
    async ({ account, params, body }) => changeRole(ctx, account.id, params.id, params.userId, body.role),
  );

  app.delete(
    '/projects/:id/members/:userId',
    {
      config,
      schema: {
        tags,
        summary: 'Remove a member',
        description:
          'Requires the role OWNER or ADMIN. The owner cannot be removed, and no one can remove themselves ' +
          '(403 `FORBIDDEN`). Returns 404 `USER_NOT_FOUND` for a user who is not a member.',
        params: MemberParams,
        response: { 204: z.null().describe('Removed.') },
      },
    },
    async ({ account, params }, reply) => {
      await removeMember(ctx, account.id, params.id, params.userId);
      return reply.code(204).send(null);
    },
  );
};
