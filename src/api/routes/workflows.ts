/** Workflows: list, fields, create, read, change, delete. Their steps and transitions: workflow-steps.ts. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { listConditionFields } from '../../domain/workflows/fields.js';
import { getWorkflow, listWorkflows } from '../../domain/workflows/get.js';
import { createWorkflow, deleteWorkflow, updateWorkflow } from '../../domain/workflows/manage.js';
import { AnyEventName, IdParams, Timestamp, page, pageQuery } from '../schemas.js';
import { withTypes } from '../typed.js';
import { WorkflowStep, WorkflowTransition } from '../workflow-schema.js';

const Workflow = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    enabled: z.boolean().describe('A disabled workflow starts nothing; what runs goes on'),
    triggerType: z.literal('EVENT'),
    triggerConfig: z
      .object({ eventName: z.string() })
      .describe('Also the config of the TRIGGER step: they change together'),
    allowReentry: z
      .boolean()
      .describe('false: a contact goes through it once, ever; true: any number of times, one at a time'),
    steps: z.array(WorkflowStep).describe('In the order of their creation; the TRIGGER is the first'),
    transitions: z.array(WorkflowTransition).describe('By priority, then in the order of their creation'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Workflow' });

const Name = z.string().trim().min(1).max(255);
const EventName = AnyEventName.describe(
  "1 to 255 characters; any event's, also of those that the service writes: `contact.subscribed`, `segment.<slug>.entry`, `email.opened`",
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
        type: z.enum(['string', 'number', 'boolean', 'date']).describe('Of most of its values'),
        category: z.enum(['contact', 'event']),
      }),
    ),
    count: z.int(),
  })
  .meta({ id: 'WorkflowFields' });

const tags = ['Workflows'];

export const workflowRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.get(
    '/workflows',
    {
      schema: {
        tags,
        summary: 'List workflows',
        description:
          'With their steps and transitions. `search` looks for a part of the name or the description, in any case.',
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
        summary: 'The fields that a CONDITION can ask for',
        description:
          '`contact.email`, `contact.subscribed`, `contact.createdAt`, `contact.updatedAt`, `contact.data.<key>` for each key in the data of contacts, and `event.<key>` for each key in the data of recent events: of those that were ' +
          'tracked, or of the one that `eventName` names. Found in samples of the contacts and of the latest events, so a key that very few have may be missing; a condition may ask for it all the same.',
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
          'It has a TRIGGER step, its `triggerType` is EVENT, and it is disabled: add steps and transitions, then enable it with PATCH.',
        body: CreateBody,
        response: { 201: Workflow },
      },
    },
    async ({ project, body }, reply) => reply.code(201).send(await createWorkflow(ctx, project.id, body)),
  );

  app.get(
    '/workflows/:id',
    {
      schema: {
        tags,
        summary: 'One workflow, with its steps and transitions',
        params: IdParams,
        response: { 200: Workflow },
      },
    },
    async ({ project, params }) => getWorkflow(ctx, project.id, params.id),
  );

  app.patch(
    '/workflows/:id',
    {
      schema: {
        tags,
        summary: 'Change, enable or disable a workflow',
        description:
          'Only what is given changes, all of it or nothing; null clears the description. Another event is a 409 while the workflow is enabled with active executions, unless the same request disables it. ' +
          'Turning `allowReentry` off keeps out every contact that has been in the workflow before.',
        params: IdParams,
        body: PatchBody,
        response: { 200: Workflow },
      },
    },
    async ({ project, params, body }) => updateWorkflow(ctx, project.id, params.id, body),
  );

  app.delete(
    '/workflows/:id',
    {
      schema: {
        tags,
        summary: 'Delete a workflow',
        description:
          'With its steps, its transitions and the executions that have ended; the emails that they sent stay. 409 while it has active executions.',
        params: IdParams,
        response: { 204: z.null().describe('Deleted') },
      },
    },
    async ({ project, params }, reply) => {
      await deleteWorkflow(ctx, project.id, params.id);
      return reply.code(204).send(null);
    },
  );
};
