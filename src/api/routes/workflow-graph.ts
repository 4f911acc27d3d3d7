/** The whole graph of a workflow: saving, validation, duplication, and figures. Single steps are in workflow-steps.ts. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { duplicateWorkflow } from '../../domain/workflows/duplicate.js';
import { validateWorkflow } from '../../domain/workflows/problems.js';
import { replaceGraph } from '../../domain/workflows/replace-graph.js';
import { getWorkflowStats } from '../../domain/workflows/stats.js';
import { Problem } from '../draft-schema.js';
import { dateRangeEnds, IdParams } from '../schemas.js';
import { withTypes } from '../typed.js';
import { GraphBranch, StepBody, Workflow } from '../workflow-schema.js';

const MAX_STEPS = 1000;
const MAX_TRANSITIONS = 5000;
const Name = z.string().min(1).max(255);

const GraphStep = StepBody.extend({
  id: z.string().optional().describe('A step of the workflow. Without it, the step is new and needs a `key`.'),
  key: Name.optional().describe(
    'A name of your choice for the step in this request. The response maps it to the id. A TRIGGER with a key is the ' +
      'TRIGGER that the workflow has.',
  ),
  type: StepBody.shape.type.describe('A graph has exactly one TRIGGER. The type of an existing step cannot change.'),
});

const GraphBody = z
  .object({
    steps: z.array(GraphStep).max(MAX_STEPS),
    transitions: z
      .array(
        z.object({
          from: Name.describe('The id or the key of a step in `steps`.'),
          to: Name.describe('The id or the key of a step in `steps`.'),
          branch: GraphBranch,
        }),
      )
      .max(MAX_TRANSITIONS),
  })
  .meta({ id: 'WorkflowGraph' });

/** A request without a body has neither list. */
const GraphToValidate = GraphBody.partial().refine(
  ({ steps, transitions }) => (steps === undefined) === (transitions === undefined),
  { path: ['transitions'], message: 'must be given together with steps' },
);

type Graph = z.output<typeof GraphBody>;

const toInput = ({ steps, transitions }: Graph) => ({
  steps,
  transitions: transitions.map(({ branch, ...transition }) => ({ ...transition, branch: branch ?? null })),
});

const given = ({ steps, transitions }: Partial<Graph>) =>
  steps && transitions ? toInput({ steps, transitions }) : null;

const ReplacedGraph = Workflow.extend({
  keys: z.record(z.string(), z.string()).describe('The id of each step that has a key in the request.'),
}).meta({ id: 'ReplacedWorkflowGraph' });

const WorkflowProblem = Problem.extend({
  stepId: z.string().optional().describe('The step, if it has an id.'),
  key: z.string().optional().describe('The step, if it has a key and no id.'),
  path: z.string().optional().describe('The place in the graph: `steps.2.config.amount`, `transitions.0.from`.'),
}).meta({ id: 'WorkflowProblem' });

const StatsQuery = z
  .object({
    from: dateRangeEnds.first
      .optional()
      .describe('An ISO 8601 date or timestamp, not after `to`. A date is the start of that UTC day.'),
    to: dateRangeEnds.last
      .optional()
      .describe('An ISO 8601 date or timestamp, included. A date is the end of that UTC day.'),
  })
  .refine(({ from, to }) => !from || !to || from < to, { path: ['from'], message: 'must not be after to' });

const WorkflowStats = z
  .object({
    executions: z.object({
      active: z.int().describe('Now, whatever the period.'),
      completed: z.int(),
      exited: z.int(),
      failed: z.int(),
      cancelled: z.int(),
    }),
    steps: z
      .record(
        z.string(),
        z.object({
          waiting: z.int().describe('The executions that are at the step now, whatever the period.'),
          entered: z.int(),
          completed: z.int(),
          skipped: z.int().describe('Emails that were not sent, and executions whose step was deleted with `splice`.'),
          failed: z.int(),
        }),
      )
      .describe('By the id of the step.'),
    transitions: z.record(z.string(), z.object({ passed: z.int() })).describe('By the id of the transition.'),
  })
  .meta({ id: 'WorkflowStats' });

const tags = ['Workflows'];

export const workflowGraphRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);

  app.put(
    '/workflows/:id/graph',
    {
      config: { revisioned: true },
      schema: {
        tags,
        summary: 'Replace the graph of a workflow',
        description:
          'Saves all steps and transitions, or none. Steps with an `id` are replaced as a whole, steps with a `key` ' +
          'are added, and missing steps and transitions are deleted. A transition with the same ends and branch keeps ' +
          'its id. The rules are those of single steps and transitions: an invalid config returns 422 with the path ' +
          'of each error, such as `steps.2.config.amount`, as does a template that is a draft with errors; a broken ' +
          'rule of the graph and an unknown segment return 400; an unknown step or template returns 404. Executions ' +
          'at a deleted step end as EXITED; all others continue. Returns 409 while the workflow is enabled and has ' +
          'active executions, unless only names and positions change.',
        params: IdParams,
        body: GraphBody,
        response: { 200: ReplacedGraph },
      },
    },
    async ({ project, params, body, expected }) => {
      const { workflow, keys } = await replaceGraph(ctx, project.id, params.id, toInput(body), expected);
      return { ...workflow, keys };
    },
  );

  app.post(
    '/workflows/:id/validate',
    {
      config: { effect: 'read' },
      schema: {
        tags,
        summary: 'Validate the graph of a workflow',
        description:
          'Returns the problems of the graph in the body, or of the stored graph without a body. Nothing is written. ' +
          'Errors prevent saving or enabling it: `invalid_config`, `missing_template`, `unknown_template`, ' +
          '`unknown_segment`, `unknown_step`, `repeated_step`, `missing_key`, `changed_type`, ' +
          '`wrong_trigger_count`, `invalid_transition`, `repeated_branch`, and `loop_without_pause`. Warnings and ' +
          'infos do not: `unreachable_step`, `no_steps`, `missing_branch`, and `unverified_sender`. A template that ' +
          'is a draft has the errors of `POST /render`.',
        params: IdParams,
        body: GraphToValidate,
        response: { 200: z.object({ problems: z.array(WorkflowProblem) }) },
      },
    },
    async ({ project, params, body }) => ({
      problems: await validateWorkflow(ctx, project.id, params.id, given(body)),
    }),
  );

  app.post(
    '/workflows/:id/duplicate',
    {
      schema: {
        tags,
        summary: 'Duplicate a workflow',
        description:
          'Creates a disabled workflow with the same steps and transitions, named "… (copy)". It has no executions.',
        params: IdParams,
        response: { 201: Workflow },
      },
    },
    async ({ project, params }, reply) => reply.code(201).send(await duplicateWorkflow(ctx, project.id, params.id)),
  );

  app.get(
    '/workflows/:id/stats',
    {
      schema: {
        tags,
        summary: 'Retrieve the figures of a workflow',
        description:
          'Counts executions, what happened at each step, and how often each transition was passed. `from` and `to` are ' +
          'rounded outward to quarters of an hour; without them, the figures are of the whole time. Steps are entered ' +
          'and transitions are passed when a step begins; all other figures count at its end. A canceled step is ' +
          'entered, and then neither completed, skipped, nor failed. The figures equal the history of executions: ' +
          'those of deleted contacts no longer count.',
        params: IdParams,
        querystring: StatsQuery,
        response: { 200: WorkflowStats },
      },
    },
    async ({ project, params, query }) => getWorkflowStats(ctx, project.id, params.id, query),
  );
};
