/**
 * Steps and transitions of workflows in requests and answers: their form. What a config may say is checked by the
 * domain.
 */
import { z } from 'zod';
import { StepType } from '../generated/prisma/enums.js';

const CONFIG = [
  'By type of step:',
  '- TRIGGER `{ eventName }`',
  '- SEND_EMAIL `{ templateId, recipient?: { type: CONTACT|CUSTOM, customEmail? } }`',
  '- DELAY `{ amount, unit: seconds|minutes|hours|days|weeks }`, more than 0 and at most 365 days',
  '- WAIT_FOR_EVENT `{ eventName, timeout? }`, the timeout in seconds, at most 365 days',
  '- CONDITION `{ field, operator, value?, unit? }`, or a condition tree `{ logic, groups }` as in segments, or `{ mode: "multi", field, branches: [{ id, name, operator, value?, unit? }] }` with at most 20 branches. ' +
    'Fields: those of segments; `contact.<field>`; `event.<key>` and `workflow.<key>`, which are variables of the execution; `event.<name>` with `triggered` and the like asks whether the contact had that event',
  '- WEBHOOK `{ url, method: GET|POST|PUT|PATCH|DELETE = POST, headers?, body? }`: templates. The URL begins with http:// or https:// and a host, without user name and password. Without a body: `{ contact, workflow, execution, event }`',
  '- UPDATE_CONTACT `{ updates, subscriptionAction?: none|subscribe|unsubscribe }`, by the rules of contact data',
  '- EXIT `{ reason? }`',
].join('\n');

const Config = z.record(z.string(), z.unknown()).describe(CONFIG);
const Position = z.object({ x: z.number(), y: z.number() }).describe('Where an editor draws it');
const TemplateId = z.string().nullish().describe('Of a SEND_EMAIL: the same as in the config, and counts more');

export const WorkflowStep = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    type: z.enum(StepType),
    name: z.string(),
    position: Position,
    config: Config,
    templateId: z.string().nullable().describe('Of a SEND_EMAIL: also in its config'),
  })
  .meta({ id: 'WorkflowStep' });

export const StepBody = z.object({
  type: z.enum(StepType).describe('Not TRIGGER: a workflow has one'),
  name: z.string().trim().min(1).max(255).optional().describe('The type in words when it is not given'),
  position: Position.optional(),
  config: Config.optional(),
  templateId: TemplateId,
});

export const StepPatchBody = StepBody.partial().extend({
  type: z.enum(StepType).optional().describe('Only the one that it has'),
});

export const WorkflowTransition = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    fromStepId: z.string(),
    toStepId: z.string(),
    branch: z.string().nullable(),
    priority: z.int().describe('Order in lists; each way out of a step has one transition'),
  })
  .meta({ id: 'WorkflowTransition' });

const Branch = z.string().trim().min(1).max(1000).nullish();

export const TransitionBody = z.object({
  fromStepId: z.string(),
  toStepId: z.string(),
  branch: Branch.describe(
    'Of a CONDITION `yes` or `no`, or with `mode: "multi"` the id of a branch or `default`; of a WAIT_FOR_EVENT `event` (or none) or `timeout`; of a WEBHOOK none or `error`; of all others none',
  ),
  condition: z.object({ branch: Branch }).nullish().describe('Another way to give `branch`'),
  priority: z.int().min(-1_000_000).max(1_000_000).default(0),
});
