/** Executions of workflows: start, list, look at, cancel. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { cancelAllExecutions, cancelExecution } from '../../domain/executions/cancel.js';
import { getExecution, listExecutions } from '../../domain/executions/get.js';
import { startForContact } from '../../domain/executions/start.js';
import { ExecutionStatus as ExecutionStatuses, StepType as StepTypes } from '../../generated/prisma/enums.js';
import { IdParams, Timestamp, page, positiveInteger } from '../schemas.js';
import { withTypes } from '../typed.js';

const ExecutionStatus = z.enum(ExecutionStatuses);

const executionFields = {
  id: z.string(),
  workflowId: z.string(),
  contactId: z.string(),
  status: ExecutionStatus.describe('RUNNING and WAITING are active, the others ends'),
  currentStepId: z.string().nullable().describe('Where it is, or where it ended; null before the first step'),
  exitReason: z
    .string()
    .nullable()
    .describe("Why it ended, where that needs words: an EXIT's reason, a failure, a cancellation"),
  context: z
    .record(z.string(), z.unknown())
    .describe(
      "The execution's variables: the data of the event that started it, or the `context` that it was started with, and the data of events that ended its waits",
    ),
  startedAt: Timestamp,
  completedAt: Timestamp.nullable(),
};
const Execution = z.object(executionFields).meta({ id: 'Execution' });

const StepExecution = z
  .object({
    id: z.string(),
    stepId: z.string(),
    stepType: z
      .enum(StepTypes)
      .describe('As it was when the step was reached, like `stepName`: the history outlives the step'),
    stepName: z.string(),
    status: z.string().meta({ enum: ['RUNNING', 'WAITING', 'COMPLETED', 'SKIPPED', 'FAILED', 'CANCELLED'] }),
    output: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        '`summary` says in a sentence what happened and why; more by type of step, such as `branch`, `emailId`, `eventId`, `statusCode`',
      ),
    error: z.string().nullable(),
    startedAt: Timestamp,
    completedAt: Timestamp.nullable(),
    wakeAt: Timestamp.nullable().describe("When a DELAY, or a WAIT_FOR_EVENT's timeout, ends"),
  })
  .meta({ id: 'StepExecution' });

const ExecutionWithHistory = z
  .object({ ...executionFields, stepExecutions: z.array(StepExecution).describe('In their order') })
  .meta({ id: 'ExecutionWithHistory' });

const StartBody = z.object({
  contactId: z.string(),
  context: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Variables of this execution, at most 64 KiB of JSON: for CONDITION steps `event.<key>` and `workflow.<key>`, for templates `{{ key }}`, `{{ event.key }}` and `{{ workflow.key }}`',
    ),
});

const ListQuery = z.object({
  page: positiveInteger(1, 1_000_000),
  pageSize: positiveInteger(20, 1000),
  status: ExecutionStatus.optional(),
  contactId: z.string().optional(),
});

const ExecutionParams = IdParams.extend({ executionId: z.string() });

const tags = ['Workflows'];

export const executionRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.post(
    '/workflows/:id/executions',
    {
      schema: {
        tags,
        summary: 'Start an execution for a contact',
        description:
          'Without an event; the re-entry rule holds as for events. 404: the workflow or the contact is not there. 409: the workflow is disabled; the contact is on its way through it already; or it has been, ' +
          'and the workflow allows no re-entry.',
        params: IdParams,
        body: StartBody,
        response: { 201: Execution },
      },
    },
    async ({ project, params, body }, reply) =>
      reply.code(201).send(await startForContact(ctx, project.id, params.id, body)),
  );

  app.get(
    '/workflows/:id/executions',
    {
      schema: {
        tags,
        summary: "List a workflow's executions",
        description:
          'The newest first. An unknown `status` is a 422; a `contactId` that nobody has gives an empty list.',
        params: IdParams,
        querystring: ListQuery,
        response: { 200: page(Execution) },
      },
    },
    async ({ project, params, query }) => listExecutions(ctx, project.id, params.id, query),
  );

  app.get(
    '/workflows/:id/executions/:executionId',
    {
      schema: {
        tags,
        summary: 'One execution, with the history of its steps',
        params: ExecutionParams,
        response: { 200: ExecutionWithHistory },
      },
    },
    async ({ project, params }) => getExecution(ctx, project.id, params.id, params.executionId),
  );

  app.delete(
    '/workflows/:id/executions/:executionId',
    {
      schema: {
        tags,
        summary: 'Cancel an execution',
        description:
          'RUNNING and WAITING only; one that has ended is a 409, and stays as it is. Emails that its steps have queued still go out. Returns the execution, CANCELLED.',
        params: ExecutionParams,
        response: { 200: Execution },
      },
    },
    async ({ project, params }) => cancelExecution(ctx, project.id, params.id, params.executionId),
  );

  app.post(
    '/workflows/:id/executions/cancel-all',
    {
      schema: {
        tags,
        summary: 'Cancel every active execution of a workflow',
        description:
          'Those that are active when the call comes; disable the workflow first to keep new ones from starting. If the call is cut short, what is cancelled stays so, and another call goes on.',
        params: IdParams,
        response: { 200: z.object({ cancelled: z.int() }) },
      },
    },
    async ({ project, params }) => ({ cancelled: await cancelAllExecutions(ctx, project.id, params.id) }),
  );
};
