/** The schemas of workflows, their steps, and their transitions. The domain checks the configs. */
import { z } from 'zod';
import { StepType } from '../generated/prisma/enums.js';
import { Timestamp } from './schemas.js';

const CONFIG = [
  'The config depends on the type:',
  '- TRIGGER `{ eventName }`',
  '- SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? }, sendWindow?: { timezone, days, from, until, except? } }`',
  '- DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`: more than 0 and at most 365 days.',
  '- WAIT_FOR_EVENT `{ eventName, timeout? }`: the timeout is in seconds, at most 365 days.',
  '- CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in ' +
    'segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at ' +
    'most 20 branches. The fields are those of segments; `contact.<field>`; `event.<key>` and ' +
    '`workflow.<key>`, which are variables of the execution; and `event.<name>` with `triggered` and the ' +
    'related operators, which checks whether the contact had that event.',
  '- WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: the values are ' +
    'templates. The URL starts with http:// or https:// and a host, without a user name or password. The ' +
    'default body is `{ contact, workflow, execution, event }`.',
  '- UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`: the rules of ' +
    'contact data apply.',
  '- EXIT `{ reason? }`',
].join('\n');

const Config = z.record(z.string(), z.unknown()).describe(CONFIG);
const Position = z.object({ x: z.number(), y: z.number() }).describe('The position in an editor.');
const TemplateId = z
  .string()
  .nullish()
  .describe('The template of a SEND_EMAIL step. It takes precedence over the one in `config`.');

export const WorkflowStep = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    type: z.enum(StepType),
    name: z.string(),
    position: Position,
    config: Config,
    templateId: z.string().nullable().describe('The template of a SEND_EMAIL step, which is also in its config.'),
  })
  .meta({ id: 'WorkflowStep' });

export const StepBody = z.object({
  type: z.enum(StepType).describe('Any type except TRIGGER, which every workflow already has.'),
  name: z.string().trim().min(1).max(255).optional().describe('Default: the type in words.'),
  position: Position.optional(),
  config: Config.optional(),
  templateId: TemplateId,
});

export const StepPatchBody = StepBody.partial().extend({
  type: z.enum(StepType).optional().describe('The type cannot change; another one returns 400.'),
});

export const WorkflowTransition = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    fromStepId: z.string(),
    toStepId: z.string(),
    branch: z.string().nullable(),
    priority: z.int().describe('The order in lists. Each branch of a step has one transition.'),
  })
  .meta({ id: 'WorkflowTransition' });

export const Workflow = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    enabled: z.boolean().describe('A disabled workflow starts no executions. Active executions continue.'),
    triggerType: z.literal('EVENT'),
    triggerConfig: z
      .object({ eventName: z.string() })
      .describe('Equal to the config of the TRIGGER step: a change of one changes both.'),
    allowReentry: z
      .boolean()
      .describe(
        'If false, a contact can have one execution ever. If true, a contact can have any number of ' +
          'executions, one at a time.',
      ),
    steps: z.array(WorkflowStep).describe('In the order of creation. The TRIGGER is the first.'),
    transitions: z.array(WorkflowTransition).describe('Ordered by priority, then by creation.'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Workflow' });

const Branch = z.string().trim().min(1).max(1000).nullish();

export const GraphBranch = Branch.describe(
  'CONDITION: `yes` or `no`, or with `mode: "multi"` the id of a branch or `default`. WAIT_FOR_EVENT: ' +
    '`event` (or none) or `timeout`. WEBHOOK: none or `error`. All other types: none.',
);

export const TransitionBody = z.object({
  fromStepId: z.string(),
  toStepId: z.string(),
  branch: GraphBranch,
  condition: z.object({ branch: Branch }).nullish().describe('An alternative to `branch`.'),
  priority: z.int().min(-1_000_000).max(1_000_000).default(0),
});
