/** The graph of a workflow: its steps and transitions. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { addStep, deleteStep, updateStep } from '../../domain/workflows/steps.js';
import { addTransition, deleteTransition } from '../../domain/workflows/transitions.js';
import { IdParams } from '../schemas.js';
import { withTypes } from '../typed.js';
import { StepBody, StepPatchBody, TransitionBody, WorkflowStep, WorkflowTransition } from '../workflow-schema.js';

const StepParams = IdParams.extend({ stepId: z.string() });
const TransitionParams = IdParams.extend({ transitionId: z.string() });
const DeleteQuery = z.object({
  splice: z.enum(['true', 'false']).default('false').describe('Whether to connect the predecessors to the successor.'),
});

const tags = ['Workflows'];
const CONFIG_RULES =
  'An invalid config returns 422 with the path of each error, such as `config.amount`. An unknown ' +
  'template returns 404, and an unknown segment 400.';
const EDITABLE = 'Returns 409 while the workflow is enabled and has active executions. Disable it first.';

export const workflowStepRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.post(
    '/workflows/:id/steps',
    {
      schema: {
        tags,
        summary: 'Add a step',
        description: `Adds a step without transitions. ${CONFIG_RULES} ${EDITABLE}`,
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
        summary: 'Update a step',
        description:
          'Changes only the given fields. `config` is replaced as a whole; a SEND_EMAIL step keeps its ' +
          "template if the new config names none, and the config of the TRIGGER is also the workflow's. " +
          `${CONFIG_RULES} Returns 400 if a transition uses a branch that the step would lose, and for another ` +
          '`type`. Returns 409 for another config or template while the workflow is enabled and has active ' +
          'executions; name and position can always change.',
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
          'Also deletes its transitions. Later steps stay. With `splice=true`, its predecessors are connected ' +
          'to its successor, on their branches; of several successors, the one without a branch or on the ' +
          'branch `event`. A CONDITION cannot be spliced (400). The TRIGGER cannot be deleted (400). ' +
          'Executions at the step continue at the successor with `splice=true`, and end as EXITED otherwise. ' +
          EDITABLE,
        params: StepParams,
        querystring: DeleteQuery,
        response: { 204: z.null().describe('Deleted.') },
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
          'Returns 400 for a transition into the TRIGGER, out of an EXIT, or from a step to itself; for a ' +
          'branch that the step does not have; for a second transition on the same branch; and for a loop ' +
          `without a DELAY or WAIT_FOR_EVENT. Returns 404 for a step that is not in the workflow. ${EDITABLE}`,
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
        response: { 204: z.null().describe('Deleted.') },
      },
    },
    async ({ project, params }, reply) => {
      await deleteTransition(ctx, project.id, params.id, params.transitionId);
      return reply.code(204).send(null);
    },
  );
};
