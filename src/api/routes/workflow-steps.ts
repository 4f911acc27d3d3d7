/** The graph of a workflow: its steps and transitions. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { addStep, deleteStep, updateStep } from '../../domain/workflows/steps.js';
import { addTransition, deleteTransition } from '../../domain/workflows/transitions.js';
import { IdParams } from '../schemas.js';
import { withTypes } from '../typed.js';
import { StepBody, StepPatchBody, TransitionBody, WorkflowStep, WorkflowTransition } from '../workflow-schema.js';

const StepParams = IdParams.extend({ stepId: z.string() });
const TransitionParams = IdParams.extend({ transitionId: z.string() });
const DeleteQuery = z.object({
  splice: z
    .enum(['true', 'false'])
    .default('false')
    .describe("Whether the predecessors' transitions lead to the successor then"),
});

const tags = ['Workflows'];
const CONFIG_RULES =
  'What is wrong in the config is a 422 that names each place, such as `config.amount`; a template that is not in the project is a 404, a segment a 400.';
const EDITABLE = '409 while the workflow is enabled with active executions: disable it first.';

export const workflowStepRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.post(
    '/workflows/:id/steps',
    {
      schema: {
        tags,
        summary: 'Add a step',
        description: `Without transitions. ${CONFIG_RULES} ${EDITABLE}`,
        params: IdParams,
        body: StepBody,
        response: { 201: WorkflowStep },
      },
    },
    async ({ project, params, body }, reply) => reply.code(201).send(await addStep(ctx, project.id, params.id, body)),
  );

  app.patch(
    '/workflows/:id/steps/:stepId',
    {
      schema: {
        tags,
        summary: 'Change a step',
        description:
          `Only what is given changes. A config is replaced as a whole; that of a SEND_EMAIL keeps its template when it names none, and that of the TRIGGER is the workflow's too. ${CONFIG_RULES} ` +
          `A transition whose branch the step would lose, and another \`type\`, are a 400. Another config or template is a 409 while the workflow is enabled with active executions; name and position are not.`,
        params: StepParams,
        body: StepPatchBody,
        response: { 200: WorkflowStep },
      },
    },
    async ({ project, params, body }) => updateStep(ctx, project.id, params.id, params.stepId, body),
  );

  app.delete(
    '/workflows/:id/steps/:stepId',
    {
      schema: {
        tags,
        summary: 'Delete a step',
        description:
          'Its transitions go; later steps stay. With `splice=true` its predecessors join its successor, on the branches that they had: of several successors the one without a branch or on `event`; not for a CONDITION (400). ' +
          `The TRIGGER stays (400). Executions that are at the step go on at the successor with splice, and otherwise end as EXITED. ${EDITABLE}`,
        params: StepParams,
        querystring: DeleteQuery,
        response: { 204: z.null().describe('Deleted') },
      },
    },
    async ({ project, params, query }, reply) => {
      await deleteStep(ctx, project.id, params.id, params.stepId, { splice: query.splice === 'true' });
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/workflows/:id/transitions',
    {
      schema: {
        tags,
        summary: 'Add a transition between two steps',
        description:
          'Each of these is a 400: a transition into the TRIGGER, out of an EXIT or from a step to itself; a branch that the step does not have; a second transition on one branch; a loop without a DELAY or WAIT_FOR_EVENT in it. ' +
          `A step that is not in the workflow is a 404. ${EDITABLE}`,
        params: IdParams,
        body: TransitionBody,
        response: { 201: WorkflowTransition },
      },
    },
    async ({ project, params, body: { branch, condition, ...transition } }, reply) =>
      reply.code(201).send(
        await addTransition(ctx, project.id, params.id, {
          ...transition,
          branch: branch ?? condition?.branch ?? null,
        }),
      ),
  );

  app.delete(
    '/workflows/:id/transitions/:transitionId',
    {
      schema: {
        tags,
        summary: 'Delete a transition',
        description: EDITABLE,
        params: TransitionParams,
        response: { 204: z.null().describe('Deleted') },
      },
    },
    async ({ project, params }, reply) => {
      await deleteTransition(ctx, project.id, params.id, params.transitionId);
      return reply.code(204).send(null);
    },
  );
};
