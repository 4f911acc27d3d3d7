/** Workflows. Their steps and transitions are in workflow-steps.ts. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { listConditionFields } from '../../domain/workflows/fields.js';
import { getWorkflow, listWorkflows } from '../../domain/workflows/get.js';
import { createWorkflow, deleteWorkflow, updateWorkflow } from '../../domain/workflows/manage.js';
import { AnyEventName, IdParams, page, pageQuery } from '../schemas.js';
import { withTypes } from '../typed.js';
import { Workflow } from '../workflow-schema.js';

const Name = z.string().trim().min(1).max(255);
const EventName = AnyEventName.describe(
  'The name of any event, 1 to 255 characters. Events that the service records are allowed, such as ' +
    '`contact.subscribed`, `segment.<slug>.entry`, and `email.opened`.',
);

const CreateBody = z.object({
  name: Name,
  eventName: EventName,
  description: z.string().nullish(),
  allowReentry: z.boolean().default(false),
});

const PatchBody = z.object({
  name: Name.optional(),
  description: z.string().nullish(),
  enabled: z.boolean().optional(),
  allowReentry: z.boolean().optional(),
  triggerType: z.enum(['EVENT']).optional(),
  triggerConfig: z.object({ eventName: EventName }).optional(),
});

const ConditionFields = z
  .object({
    fields: z.array(
      z.object({
        field: z.string(),
        type: z.enum(['string', 'number', 'boolean', 'date']).describe('The type of most values.'),
        category: z.enum(['contact', 'event']),
      }),
    ),
    count: z.int(),
  })
  .meta({ id: 'WorkflowFields' });

const tags = ['Workflows'];

export const workflowRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/workflows',
    {
      schema: {
        tags,
        summary: 'List workflows',
        description:
          'Returns workflows with their steps and transitions. `search` matches part of the name or ' +
          'description. Case-insensitive.',
        querystring: pageQuery(['createdAt', 'name', 'updatedAt']),
        response: { 200: page(Workflow) },
      },
    },
    async ({ project, query }) => listWorkflows(ctx, project.id, query),
  );

  app.get(
    '/workflows/fields',
    {
      schema: {
        tags,
        summary: 'List the fields for CONDITION steps',
        description:
          'Returns `contact.email`, `contact.subscribed`, `contact.createdAt`, `contact.updatedAt`, ' +
          '`contact.data.<key>` for each key in the data of contacts, and `event.<key>` for each key in the ' +
          'data of recent tracked events, or of the event in `eventName`. The keys come from samples of the ' +
          'contacts and of the latest events, so a rare key may be missing. Conditions can use such a key ' +
          'nevertheless.',
        querystring: z.object({ eventName: z.string().trim().optional() }),
        response: { 200: ConditionFields },
      },
    },
    async ({ project, query }) => listConditionFields(ctx, project.id, query.eventName || undefined),
  );

  app.post(
    '/workflows',
    {
      schema: {
        tags,
        summary: 'Create a workflow',
        description:
          'Creates a disabled workflow with a TRIGGER step and the `triggerType` EVENT. Add steps and ' +
          'transitions, then enable it with PATCH.',
        body: CreateBody,
        response: { 201: Workflow },
      },
    },
    async ({ project, body }, reply) => reply.code(201).send(await createWorkflow(ctx, project.id, body)),
  );

  app.get(
    '/workflows/:id',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Retrieve a workflow with its steps and transitions',
        params: IdParams,
        response: { 200: Workflow },
      },
    },
    async ({ project, params }) => getWorkflow(ctx, project.id, params.id),
  );

  app.patch(
    '/workflows/:id',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Update, enable, or disable a workflow',
        description:
          'Changes only the given fields, all or none. Null clears the description. Another event returns 409 ' +
          'while the workflow is enabled and has active executions, unless the same request disables it. With ' +
          '`allowReentry: false`, contacts that have had an execution cannot start another one. Enabling a workflow ' +
          'whose graph has errors (`POST /workflows/:id/validate`) returns 422 that lists them in `details.problems`.',
        params: IdParams,
        body: PatchBody,
        response: { 200: Workflow },
      },
    },
    async ({ project, params, body, expected }) => updateWorkflow(ctx, project.id, params.id, body, expected),
  );

  app.delete(
    '/workflows/:id',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Delete a workflow',
        description:
          'Also deletes its steps, transitions, and ended executions. The emails that they sent stay. Returns ' +
          '409 while the workflow has active executions.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async ({ project, params, expected }, reply) => {
      await deleteWorkflow(ctx, project.id, params.id, expected);
      return reply.code(204).send(null);
    },
  );
};
