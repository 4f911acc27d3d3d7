/** Workflows for tests through `inject`: graphs through the API, executions directly in the database. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { ExecutionStatus, StepType } from '../../src/generated/prisma/enums.js';
import { newId } from '../../src/ids.js';
import type { TestApi, TestProject } from './api.js';

const Step = z.object({
  id: z.string(),
  workflowId: z.string(),
  type: z.string(),
  name: z.string(),
  position: z.object({ x: z.number(), y: z.number() }),
  config: z.record(z.string(), z.unknown()),
  templateId: z.string().nullable(),
});
const Transition = z.object({
  id: z.string(),
  fromStepId: z.string(),
  toStepId: z.string(),
  branch: z.string().nullable(),
  priority: z.number(),
});
const Workflow = z.object({
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  triggerConfig: z.object({ eventName: z.string() }),
  allowReentry: z.boolean(),
  steps: z.array(Step),
  transitions: z.array(Transition),
  updatedAt: z.string(),
});

export type TestWorkflow = z.infer<typeof Workflow>;

/** A config that is valid for each type but SEND_EMAIL, which takes a template. */
export const CONFIGS: Record<Exclude<StepType, 'TRIGGER' | 'SEND_EMAIL'>, Record<string, unknown>> = {
  DELAY: { amount: 1, unit: 'days' },
  WAIT_FOR_EVENT: { eventName: 'bought', timeout: 3600 },
  CONDITION: { field: 'contact.data.plan', operator: 'equals', value: 'pro' },
  WEBHOOK: { url: 'https://hooks.example.com/{{ id }}' },
  UPDATE_CONTACT: { updates: { seen: true } },
  EXIT: {},
};

export function workflowHelpers(api: TestApi) {
  const read = async (project: TestProject, id: string): Promise<TestWorkflow> => {
    const response = await api.as(project, 'GET', `/workflows/${id}`);
    expect(response.statusCode, response.body).toBe(200);
    return Workflow.parse(response.json());
  };

  const created = async <T extends z.ZodType>(
    schema: T,
    project: TestProject,
    url: string,
    body: unknown,
  ): Promise<z.output<T>> => {
    const response = await api.as(project, 'POST', url, body);
    expect(response.statusCode, response.body).toBe(201);
    return schema.parse(response.json());
  };

  /** Creates a workflow, and the id of its TRIGGER. */
  const workflow = async (
    project: TestProject,
    body: Record<string, unknown> = {},
  ): Promise<TestWorkflow & { triggerId: string }> => {
    const made = await created(Workflow, project, '/workflows', {
      name: 'Onboarding',
      eventName: 'signed up',
      ...body,
    });
    return { ...made, triggerId: made.steps[0]?.id ?? '' };
  };

  /** Adds a step with a valid config, unless one is given. @returns its id */
  const step = async (
    project: TestProject,
    workflowId: string,
    type: keyof typeof CONFIGS,
    config = CONFIGS[type],
  ): Promise<string> => (await created(Step, project, `/workflows/${workflowId}/steps`, { type, config })).id;

  /** Adds a transition. @returns its id */
  const connect = async (
    project: TestProject,
    workflowId: string,
    fromStepId: string,
    toStepId: string,
    branch?: string,
  ): Promise<string> =>
    (await created(Transition, project, `/workflows/${workflowId}/transitions`, { fromStepId, toStepId, branch })).id;

  return {
    read,
    workflow,
    step,
    connect,

    /** Adds steps, each connected to the one before, the first to the TRIGGER. @returns their ids */
    chain: async (
      project: TestProject,
      { id, triggerId }: { id: string; triggerId: string },
      ...types: Array<keyof typeof CONFIGS>
    ): Promise<string[]> => {
      const ids = [triggerId];
      for (const type of types) {
        const next = await step(project, id, type);
        await connect(project, id, ids.at(-1) ?? '', next);
        ids.push(next);
      }
      return ids.slice(1);
    },

    /** Inserts a template. @returns its id */
    template: async (project: TestProject): Promise<string> => {
      const id = newId();
      await api.ctx.prisma.template.create({
        data: { id, projectId: project.id, name: 'Welcome', subject: 's', body: 'b', from: `hi@${project.domain}` },
      });
      return id;
    },

    /**
     * Inserts an execution of a contact of its own, as it is at a step when one is named. @returns its id and that of
     * the open step execution
     */
    execution: async (
      project: TestProject,
      workflowId: string,
      { status = 'RUNNING', stepId }: { status?: ExecutionStatus; stepId?: string } = {},
    ) => {
      const { prisma } = api.ctx;
      const [id, contactId, open] = [newId(), newId(), newId()];
      await prisma.contact.create({
        data: { id: contactId, projectId: project.id, email: `${contactId}@x.test`, subscribed: true },
      });
      const at = await prisma.workflowStep.findFirst({ where: { id: stepId ?? newId() } });
      await prisma.workflowExecution.create({
        data: {
          id,
          projectId: project.id,
          workflowId,
          contactId,
          status,
          ...(at && {
            currentStepId: at.id,
            stepExecutionId: open,
            waitingFor: status === 'WAITING' ? 'bought' : null,
            wakeAt: status === 'WAITING' ? new Date(Date.now() + 1e9) : null,
          }),
        },
      });
      if (at)
        await prisma.stepExecution.create({
          data: {
            id: open,
            projectId: project.id,
            executionId: id,
            stepId: at.id,
            stepType: at.type,
            stepName: at.name,
            status,
            output: { summary: 'Waits.', seen: 1 },
          },
        });
      return { id, contactId, open };
    },
  };
}
