/** Segments. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { computeSegment } from '../../domain/segments/compute.js';
import { explainSegment } from '../../domain/segments/explain.js';
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
        'Derived from the name at creation and then fixed. Part of the events `segment.<slug>.entry` and ' +
          '`segment.<slug>.exit`.',
      ),
    type: SegmentType,
    condition: ConditionTree.nullable().describe('Null for a static segment.'),
    trackMembership: z.boolean(),
    memberCount: z
      .int()
      .describe('The number of members at the last creation, condition change, member call, refresh, or compute.'),
    computedAt: Timestamp.nullable().describe('The time of the last computation of a tracked dynamic segment.'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Segment' });

const Name = z.string().trim().min(1).max(100);
const Description = z.string().max(500).nullish();
const Tracked = z
  .boolean()
  .describe(
    'Whether entries and exits record events. A dynamic segment follows changes within about 10 seconds, and a full ' +
      'computation every 5 minutes covers time-dependent conditions. A static segment records events immediately.',
  );

const CreateBody = z.object({
  name: Name,
  description: Description,
  type: SegmentType.default('DYNAMIC'),
  condition: ConditionTree.nullish().describe('Required for DYNAMIC, ignored for STATIC.'),
  trackMembership: Tracked.default(false),
});

const PatchBody = z.object({
  name: Name.optional(),
  description: Description,
  condition: ConditionTree.nullish().describe('Ignored for a static segment. Null returns 422 for a dynamic segment.'),
  trackMembership: Tracked.optional(),
});

const Emails = z.array(EmailAddress).min(1).max(500);
const AddBody = z.object({
  emails: Emails,
  createMissing: z.boolean().default(false).describe('Whether to create contacts for unknown addresses.'),
  subscribed: z
    .boolean()
    .default(true)
    .describe('The subscription of created contacts. Existing contacts stay unchanged.'),
});
const Added = z.object({
  added: z.int().describe('Contacts that were not members before, including created contacts.'),
  created: z.int(),
  notFound: z.array(z.string()).describe('Addresses without a contact.'),
});

const ExplainedFilter = z
  .object({
    path: z.string().describe('The place in the condition, such as `groups.0.filters.1`.'),
    matches: z.boolean(),
    actual: z
      .unknown()
      .describe(
        'The value that the filter tests: of an event `{ firstAt, lastAt }`, of a segment whether the contact is in ' +
          'it. Null if the contact has no such value or event.',
      ),
  })
  .meta({ id: 'ExplainedFilter' });

const ExplainedGroup = z
  .object({
    matches: z.boolean(),
    filters: z.array(ExplainedFilter),
    get conditions() {
      return ExplainedTree.optional();
    },
  })
  .meta({ id: 'ExplainedGroup' });

const ExplainedTree = z
  .object({ matches: z.boolean(), groups: z.array(ExplainedGroup) })
  .meta({ id: 'ExplainedCondition' });

const ContactsQuery = z.object({ page: positiveInteger(1, 1_000_000), pageSize: positiveInteger(20, 100) });

const tags = ['Segments'];
const CONDITION_RULES =
  'An invalid condition returns 422 with the path of each error, such as ' +
  '`condition.groups.0.filters.1.operator`. A referenced segment must exist in the project, and ' +
  'references must not form a cycle (400).';

/** Requires the condition of a dynamic segment and drops that of a static one (specification, "Segments"). */
const requireCondition = async (request: FastifyRequest): Promise<void> => {
  const { body } = request;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const type: unknown = Reflect.get(body, 'type');
  if (type === 'STATIC') Reflect.deleteProperty(body, 'condition');
  if (type !== undefined && type !== 'DYNAMIC') return;
  const condition: unknown = Reflect.get(body, 'condition');
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition))
    throw new FlatError('A dynamic segment requires a condition: an object { logic, groups }.');
};

export const segmentRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/segments',
    {
      schema: {
        tags,
        summary: 'List segments',
        description: 'Returns all segments, newest first.',
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
        description: `A dynamic segment requires a condition. ${CONDITION_RULES}`,
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
    {
      config: { revisioned: true },
      schema: { tags, summary: 'Retrieve a segment', params: IdParams, response: { 200: Segment } },
    },
    async ({ project, params }) => getSegment(ctx, project.id, params.id),
  );

  app.patch(
    '/segments/:id',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Update a segment',
        description:
          `Changes only the given fields. \`type\` and \`slug\` are fixed. ${CONDITION_RULES} After a condition ` +
          'change, the next compute records the entries and exits of a tracked segment. A segment ' +
          'that is no longer tracked loses its stored members.',
        params: IdParams,
        body: PatchBody,
        response: { 200: Segment },
      },
    },
    async ({ project, params, body, expected }) => updateSegment(ctx, project.id, params.id, body, expected),
  );

  app.delete(
    '/segments/:id',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Delete a segment',
        description:
          'Returns 409 while a SCHEDULED or SENDING campaign, the condition of another segment, or a CONDITION ' +
          'step of a workflow uses the segment. Draft campaigns lose their reference.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async ({ project, params, expected }, reply) => {
      await deleteSegment(ctx, project.id, params.id, expected);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/segments/:id/contacts',
    {
      schema: {
        tags,
        summary: 'List the contacts of a segment',
        description:
          'Newest first. The contacts of a dynamic segment are current. In projects with 200,000 contacts or more, the ' +
          'total and most pages come from a stored count and list, which reading refreshes in the background. All ' +
          'returned contacts still match the condition.',
        params: IdParams,
        querystring: ContactsQuery,
        response: { 200: page(Contact) },
      },
    },
    async ({ project, params, query }) => listSegmentContacts(ctx, project.id, params.id, query),
  );

  app.get(
    '/segments/:id/explain',
    {
      schema: {
        tags,
        summary: 'Explain why a contact is in a segment',
        description:
          'Evaluates each filter of the condition for a contact, now. `groups` and `conditions` have the order of ' +
          'the condition. A static segment has no groups: `matches` is whether the contact is a member.',
        params: IdParams,
        querystring: z.object({ contactId: z.string() }),
        response: { 200: ExplainedTree },
      },
    },
    async ({ project, params, query }) => explainSegment(ctx, project.id, params.id, query.contactId),
  );

  app.post(
    '/segments/:id/members',
    {
      schema: {
        tags,
        summary: 'Add members to a static segment',
        description: 'A dynamic segment returns 400.',
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
        description: 'A dynamic segment returns 400. Addresses that are not members are ignored.',
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
          'Updates the stored members and records one event `segment.<slug>.entry` or `segment.<slug>.exit` ' +
          'per change. A segment that is static or not tracked returns 400.',
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
        summary: 'Recount a segment',
        description: 'Updates `memberCount`. Records no events and stores no memberships.',
        params: IdParams,
        response: { 200: z.object({ memberCount: z.int() }) },
      },
    },
    async ({ project, params }) => refreshSegment(ctx, project.id, params.id),
  );
};
