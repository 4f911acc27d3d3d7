/** Segments: list, create, read, change, delete; their contacts and members; compute and refresh. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { computeSegment } from '../../domain/segments/compute.js';
import { getSegment, listSegmentContacts, listSegments, refreshSegment } from '../../domain/segments/get.js';
import { addSegmentMembers, removeSegmentMembers } from '../../domain/segments/members.js';
import { createSegment, deleteSegment, updateSegment } from '../../domain/segments/write.js';
import { FlatError } from '../../errors.js';
import { ConditionTree } from '../condition-schema.js';
import { flatError } from '../error-replies.js';
import { EmailAddress, IdParams, Timestamp, page, positiveInteger } from '../schemas.js';
import { withTypes } from '../typed.js';
import { Contact } from './contacts.js';

const SegmentType = z.enum(['DYNAMIC', 'STATIC']);

const Segment = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    slug: z
      .string()
      .describe(
        'Made of the name at creation, and fixed: part of the events `segment.<slug>.entry` and `segment.<slug>.exit`',
      ),
    type: SegmentType,
    condition: ConditionTree.nullable().describe('null for a static one'),
    trackMembership: z.boolean(),
    memberCount: z.int().describe('As of the last creation, change of the condition, member call, refresh or compute'),
    computedAt: Timestamp.nullable().describe('When the members of a tracked dynamic segment were last computed'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Segment' });

const Name = z.string().trim().min(1).max(100);
const Description = z.string().max(500).nullish();
const Tracked = z
  .boolean()
  .describe(
    'Whether entries and exits are events: of a dynamic segment when it is computed (every 5 minutes, or when asked for), of a static one at once',
  );

const CreateBody = z.object({
  name: Name,
  description: Description,
  type: SegmentType.default('DYNAMIC'),
  condition: ConditionTree.nullish().describe('Required for DYNAMIC, ignored for STATIC'),
  trackMembership: Tracked.default(false),
});

const PatchBody = z.object({
  name: Name.optional(),
  description: Description,
  condition: ConditionTree.nullish().describe(
    'Ignored for a static segment; null, as that is shown with, is a 422 for a dynamic one',
  ),
  trackMembership: Tracked.optional(),
});

const Emails = z.array(EmailAddress).min(1).max(500);
const AddBody = z.object({
  emails: Emails,
  createMissing: z.boolean().default(false).describe('Whether addresses without a contact get one'),
  subscribed: z.boolean().default(true).describe('Of contacts that are created; known ones stay as they are'),
});
const Added = z.object({
  added: z.int().describe('Contacts that were no members before, created ones included'),
  created: z.int(),
  notFound: z.array(z.string()).describe('Addresses without a contact'),
});

const ContactsQuery = z.object({ page: positiveInteger(1, 1_000_000), pageSize: positiveInteger(20, 100) });

const tags = ['Segments'];
const CONDITION_RULES =
  'What is wrong in the condition is a 422 that names each place, such as `condition.groups.0.filters.1.operator`. A segment that it names must be one of the project, and none may name itself by way of others: 400.';

/**
 * The body as it is checked: a dynamic segment's condition must be an object (specification, "Segments"), a static
 * one's is not looked at.
 */
const requireCondition = async (request: FastifyRequest): Promise<void> => {
  const { body } = request;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const type: unknown = Reflect.get(body, 'type');
  if (type === 'STATIC') Reflect.deleteProperty(body, 'condition');
  if (type !== undefined && type !== 'DYNAMIC') return;
  const condition: unknown = Reflect.get(body, 'condition');
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition))
    throw new FlatError('A dynamic segment needs a condition: an object { logic, groups }.');
};

export const segmentRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/segments',
    {
      schema: {
        tags,
        summary: 'List segments',
        description: 'All of them, the newest first.',
        response: { 200: z.array(Segment) },
      },
    },
    async ({ project }) => listSegments(ctx, project.id),
  );

  app.post(
    '/segments',
    {
      preValidation: requireCondition,
      schema: {
        tags,
        summary: 'Create a segment',
        description: `A dynamic one needs a condition. ${CONDITION_RULES}`,
        body: CreateBody,
        response: {
          201: Segment,
          400: flatError('A dynamic segment has no condition object, or the body is not valid JSON.'),
        },
      },
    },
    async ({ project, body }, reply) => reply.code(201).send(await createSegment(ctx, project.id, body)),
  );

  app.get(
    '/segments/:id',
    { schema: { tags, summary: 'One segment', params: IdParams, response: { 200: Segment } } },
    async ({ project, params }) => getSegment(ctx, project.id, params.id),
  );

  app.patch(
    '/segments/:id',
    {
      schema: {
        tags,
        summary: 'Change a segment',
        description: `Only what is given changes; \`type\` and the slug never do. ${CONDITION_RULES} A tracked segment's entries and exits by a new condition come with the next compute; one that is no longer tracked forgets its members.`,
        params: IdParams,
        body: PatchBody,
        response: { 200: Segment },
      },
    },
    async ({ project, params, body }) => updateSegment(ctx, project.id, params.id, body),
  );

  app.delete(
    '/segments/:id',
    {
      schema: {
        tags,
        summary: 'Delete a segment',
        description:
          '409 while a campaign that is SCHEDULED or SENDING, the condition of another segment or a CONDITION step of a workflow uses it. Drafts forget it.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted') },
      },
    },
    async ({ project, params }, reply) => {
      await deleteSegment(ctx, project.id, params.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/segments/:id/contacts',
    {
      schema: {
        tags,
        summary: 'The contacts of a segment',
        description: 'The newest first; of this moment for a dynamic segment.',
        params: IdParams,
        querystring: ContactsQuery,
        response: { 200: page(Contact) },
      },
    },
    async ({ project, params, query }) => listSegmentContacts(ctx, project.id, params.id, query),
  );

  app.post(
    '/segments/:id/members',
    {
      schema: {
        tags,
        summary: 'Add members to a static segment',
        description: 'A dynamic segment is a 400.',
        params: IdParams,
        body: AddBody,
        response: { 200: Added },
      },
    },
    async ({ project, params, body }) => addSegmentMembers(ctx, project.id, params.id, body),
  );

  app.delete(
    '/segments/:id/members',
    {
      schema: {
        tags,
        summary: 'Remove members from a static segment',
        description: 'A dynamic segment is a 400; addresses that are no members are no error.',
        params: IdParams,
        body: z.object({ emails: Emails }),
        response: { 200: z.object({ removed: z.int() }) },
      },
    },
    async ({ project, params, body }) => removeSegmentMembers(ctx, project.id, params.id, body.emails),
  );

  app.post(
    '/segments/:id/compute',
    {
      schema: {
        tags,
        summary: 'Compute a tracked dynamic segment',
        description:
          'Writes who has joined and left, with one event `segment.<slug>.entry` or `segment.<slug>.exit` each. A segment that is static or not tracked is a 400.',
        params: IdParams,
        response: { 200: z.object({ added: z.int(), removed: z.int(), total: z.int() }) },
      },
    },
    async ({ project, params }) => computeSegment(ctx, project.id, params.id),
  );

  app.post(
    '/segments/:id/refresh',
    {
      schema: {
        tags,
        summary: 'Count a segment anew',
        description: 'No events, and no membership is written.',
        params: IdParams,
        response: { 200: z.object({ memberCount: z.int() }) },
      },
    },
    async ({ project, params }) => refreshSegment(ctx, project.id, params.id),
  );
};
