/** Workflow executions. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { cancelAllExecutions, cancelExecution } from '../../domain/executions/cancel.js';
import { getExecution } from '../../domain/executions/get.js';
import { listExecutions } from '../../domain/executions/list.js';
import { skipWait } from '../../domain/executions/skip-wait.js';
import { startForContact } from '../../domain/executions/start.js';
import { ExecutionStatus as ExecutionStatuses, StepType as StepTypes } from '../../generated/prisma/enums.js';
import { CursorQuery, IdParams, Timestamp, page, positiveInteger } from '../schemas.js';
import { withTypes } from '../typed.js';

const ExecutionStatus = z.enum(ExecutionStatuses);

const executionFields = {
  id: z.string(),
  workflowId: z.string(),
  contactId: z.string(),
  status: ExecutionStatus.describe('RUNNING and WAITING are active; the other statuses are final.'),
  currentStepId: z
    .string()
    .nullable()
    .describe('The step at which the execution is or ended. Null before the first step.'),
  exitReason: z.string().nullable().describe('The reason of an EXIT, a failure, or a cancellation.'),
  context: z
    .record(z.string(), z.unknown())
    .describe(
      'The variables of the execution: the data of the event that started it or the `context` of the ' +
        'request, and the data of the events that ended its waits.',
    ),
  startedAt: Timestamp,
  completedAt: Timestamp.nullable(),
};
export const Execution = z.object(executionFields).meta({ id: 'Execution' });

const ListedExecution = z
  .object({
    ...executionFields,
    contactEmail: z.string(),
    currentStepName: z
      .string()
      .nullable()
      .describe('The name of the current step, or of the last one. Null before the first step.'),
    wakeAt: Timestamp.nullable().describe('The end of the DELAY or of the timeout of the WAIT_FOR_EVENT.'),
  })
  .meta({ id: 'ListedExecution' });

const ListedExecutions = page(ListedExecution).extend({
  cursor: z.string().nullable().describe('For the next page; null on the last page.'),
  hasMore: z.boolean(),
});

const StepExecution = z
  .object({
    id: z.string(),
    stepId: z.string(),
    stepType: z
      .enum(StepTypes)
      .describe(
        'The type when the execution reached the step, like `stepName`. The history stays when the step is ' +
          'deleted.',
      ),
    stepName: z.string(),
    status: z.string().meta({ enum: ['RUNNING', 'WAITING', 'COMPLETED', 'SKIPPED', 'FAILED', 'CANCELLED'] }),
    output: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        '`summary` describes in a sentence what happened and why. Other fields depend on the type of the ' +
          'step, such as `branch`, `emailId`, `eventId`, and `statusCode`. `condition` of a CONDITION with several ' +
          'filters has the outcome of each: `{ matches, logic, groups: [{ matches, filters: [{ field, operator, value, ' +
          'unit, actual, matches }], conditions? }] }`.',
      ),
    error: z.string().nullable(),
    startedAt: Timestamp,
    completedAt: Timestamp.nullable(),
    wakeAt: Timestamp.nullable().describe('The end of a DELAY or of the timeout of a WAIT_FOR_EVENT.'),
  })
  .meta({ id: 'StepExecution' });

const ExecutionWithHistory = z
  .object({ ...executionFields, stepExecutions: z.array(StepExecution).describe('In the order of execution.') })
  .meta({ id: 'ExecutionWithHistory' });

const StartBody = z.object({
  contactId: z.string(),
  context: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Variables of the execution, at most 64 KiB of JSON. CONDITION steps use them as `event.<key>` and ' +
        '`workflow.<key>`, templates as `{{ key }}`, `{{ event.key }}`, and `{{ workflow.key }}`.',
    ),
});

const ListQuery = z.object({
  page: positiveInteger(1, 1_000_000),
  pageSize: positiveInteger(20, 1000),
  status: ExecutionStatus.optional(),
  contactId: z.string().optional(),
  stepId: z.string().optional().describe('The step at which executions are or ended.'),
  search: z.string().optional().describe("A part of the contact's address. Case-insensitive."),
  cursor: CursorQuery.shape.cursor.describe(
    'Continues after the page that had this cursor. Then `page` is ignored, nothing is counted, and `page`, `total`, ' +
      'and `totalPages` are 0.',
  ),
});

const ExecutionParams = IdParams.extend({ executionId: z.string() });

const tags = ['Workflows'];

export const executionRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.post(
    '/workflows/:id/executions',
    {
      schema: {
        tags,
        summary: 'Start an execution for a contact',
        description:
          'Starts an execution without an event. The re-entry rule applies. Returns 404 if the workflow or the ' +
          'contact does not exist. Returns 409 if the workflow is disabled, if the contact already has an ' +
          'active execution of it, or if the contact has had one and the workflow does not allow re-entry.',
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
          'Newest first. An unknown `status` returns 422. An unknown `contactId` or `stepId` returns an empty list. ' +
          'Cursors are faster than pages far from the start. The `total` of a search that more than 1,000 contacts ' +
          'match is at most 10,000.',
        params: IdParams,
        querystring: ListQuery,
        response: { 200: ListedExecutions },
      },
    },
    async ({ project, params, query }) => listExecutions(ctx, project.id, params.id, query),
  );

  app.get(
    '/workflows/:id/executions/:executionId',
    {
      schema: {
        tags,
        summary: 'Retrieve an execution with the history of its steps',
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
          'Allowed in RUNNING and WAITING (409 otherwise). Emails that its steps have queued are still sent. ' +
          'Returns the execution with the status CANCELLED.',
        params: ExecutionParams,
        response: { 200: Execution },
      },
    },
    async ({ project, params }) => cancelExecution(ctx, project.id, params.id, params.executionId),
  );

  app.post(
    '/workflows/:id/executions/:executionId/skip-wait',
    {
      schema: {
        tags,
        summary: 'End the wait of an execution',
        description:
          'Ends the DELAY or WAIT_FOR_EVENT that the execution is in, and continues with the next step. A ' +
          'WAIT_FOR_EVENT with a timeout continues on the branch `timeout`, as if the time were up. One without a ' +
          'timeout continues as if the event had occurred, without data. If the event has just occurred, it decides ' +
          'as usual. Returns 409 at any other step, and once the wait is over: of parallel calls, one succeeds. ' +
          'Returns the execution at its next step.',
        params: ExecutionParams,
        response: { 200: Execution },
      },
    },
    async ({ project, params }) => skipWait(ctx, project.id, params.id, params.executionId),
  );

  app.post(
    '/workflows/:id/executions/cancel-all',
    {
      schema: {
        tags,
        summary: 'Cancel all active executions of a workflow',
        description:
          'Cancels the executions that are active at the time of the call. Disable the workflow first to ' +
          'prevent new ones. If the call is interrupted, repeat it to cancel the remaining executions.',
        params: IdParams,
        response: { 200: z.object({ cancelled: z.int() }) },
      },
    },
    async ({ project, params }) => ({ cancelled: await cancelAllExecutions(ctx, project.id, params.id) }),
  );
};
