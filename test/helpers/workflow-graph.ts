/**
 * Workflows, made directly in the database, and their executions; free of vitest, for programs that are run by hand.
 */
import type { ApiContext } from '../../src/context.js';
import { transaction } from '../../src/db/pool.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { startForContact } from '../../src/domain/executions/start.js';
import type { StepType } from '../../src/generated/prisma/enums.js';
import { isId, newId } from '../../src/ids.js';

/** A step. Only its type and config are given. */
export interface StepSpec {
  type: StepType;
  config: Record<string, unknown>;
}

export interface GraphSpec {
  /** Default: `signed_up`. */
  eventName?: string;
  allowReentry?: boolean;
  enabled?: boolean;
  steps: Record<string, StepSpec>;
  /** `TRIGGER > check`, `check > hello : yes` */
  edges: string[];
}

export interface Graph {
  id: string;
  projectId: string;
  eventName: string;
  /** Ids by their names; the trigger's is `TRIGGER`. */
  steps: Record<string, string>;
}

export const delay = (amount: number, unit: 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' = 'days'): StepSpec => ({
  type: 'DELAY',
  config: { amount, unit },
});
export const exit = (reason?: string): StepSpec => ({ type: 'EXIT', config: reason === undefined ? {} : { reason } });
export const waitFor = (eventName: string, timeout?: number): StepSpec => ({
  type: 'WAIT_FOR_EVENT',
  config: { eventName, ...(timeout !== undefined && { timeout }) },
});
export const condition = (field: string, operator: string, value?: unknown): StepSpec => ({
  type: 'CONDITION',
  config: { field, operator, ...(value !== undefined && { value }) },
});
export const sendTemplate = (templateId: string, recipient?: { type: string; customEmail?: string }): StepSpec => ({
  type: 'SEND_EMAIL',
  config: { templateId, ...(recipient && { recipient }) },
});
export const updateContact = (updates: Record<string, unknown>, subscriptionAction?: string): StepSpec => ({
  type: 'UPDATE_CONTACT',
  config: { updates, ...(subscriptionAction && { subscriptionAction }) },
});
export const webhook = (url: string, more: Record<string, unknown> = {}): StepSpec => ({
  type: 'WEBHOOK',
  config: { url, ...more },
});

/** A step of a graph that is there. @returns its id */
export async function insertStep(
  ctx: ApiContext,
  {
    projectId,
    workflowId,
    name,
    spec: { type, config },
  }: { projectId: string; workflowId: string; name: string; spec: StepSpec },
): Promise<string> {
  const id = newId();
  const wanted = typeof config.templateId === 'string' && isId(config.templateId) ? config.templateId : null;
  // A template that isn't there stands in the config alone.
  const templateId =
    wanted && (await ctx.prisma.template.count({ where: { projectId, id: wanted } })) > 0 ? wanted : null;
  await ctx.prisma.workflowStep.create({
    data: { id, projectId, workflowId, type, name, config: JSON.parse(JSON.stringify(config)), templateId },
  });
  return id;
}

const EDGE = /^(\S+) > (\S+)(?: : (.+))?$/;

export async function insertEdge(ctx: ApiContext, { id, projectId, steps }: Graph, edge: string): Promise<string> {
  const [, from = '', to = '', branch = null] = EDGE.exec(edge) ?? [];
  const [fromStepId, toStepId] = [steps[from], steps[to]];
  if (!fromStepId || !toStepId) throw new Error(`There is no such edge: ${edge}`);
  const transition = newId();
  await ctx.prisma.workflowTransition.create({
    data: { id: transition, projectId, workflowId: id, fromStepId, toStepId, branch },
  });
  return transition;
}

/** An enabled workflow. */
export async function insertGraph(
  ctx: ApiContext,
  projectId: string,
  { eventName = 'signed_up', allowReentry = false, enabled = true, steps, edges }: GraphSpec,
): Promise<Graph> {
  const id = newId();
  await ctx.prisma.workflow.create({ data: { id, projectId, name: 'Journey', enabled, eventName, allowReentry } });
  const graph: Graph = { id, projectId, eventName, steps: {} };
  for (const [name, spec] of Object.entries({
    TRIGGER: { type: 'TRIGGER' as const, config: { eventName } },
    ...steps,
  })) {
    graph.steps[name] = await insertStep(ctx, { projectId, workflowId: id, name, spec });
  }
  for (const edge of edges) await insertEdge(ctx, graph, edge);
  return graph;
}

export interface TemplateSpec {
  type?: 'TRANSACTIONAL' | 'MARKETING' | 'HEADLESS';
  subject?: string;
  body?: string;
  from?: string;
}

/** A template of the project's own domain. @returns its id */
export async function insertTemplate(
  ctx: ApiContext,
  { id: projectId, domain }: { id: string; domain: string },
  {
    type = 'TRANSACTIONAL',
    subject = 'Hello {{ email }}',
    body = '<p>Hello</p>',
    from = `news@${domain}`,
  }: TemplateSpec = {},
): Promise<string> {
  const id = newId();
  await ctx.prisma.template.create({ data: { id, projectId, name: 'Welcome', subject, body, from, type } });
  return id;
}

let contacts = 0;

/** @returns the contact's id */
export async function insertContact(
  ctx: ApiContext,
  projectId: string,
  {
    email,
    subscribed = true,
    data = {},
  }: { email?: string; subscribed?: boolean; data?: Record<string, unknown> } = {},
): Promise<string> {
  const id = newId();
  contacts += 1;
  await ctx.prisma.contact.create({
    data: {
      id,
      projectId,
      email: email ?? `person-${contacts}@inbox.test`,
      subscribed,
      data: JSON.parse(JSON.stringify(data)),
    },
  });
  return id;
}

/** Inserts an event, and starts and pokes executions. `at` is its time in the database, default now. @returns its id */
export async function emit(
  ctx: ApiContext,
  projectId: string,
  contactId: string,
  name: string,
  data: Record<string, unknown> = {},
  at?: Date,
): Promise<string> {
  const id = newId();
  if (!at) {
    await transaction(ctx.pool, (tx) => insertEvents(tx, [{ id, projectId, contactId, name, data }]));
    return id;
  }
  await ctx.pool.query(
    `INSERT INTO outbox (workflow_id, action, payload, fairness_key)
     SELECT i.* FROM insert_events(ARRAY[($1, $2, $3, NULL, $4, $5, $6, NULL)::new_event]) i`,
    [id, projectId, contactId, name, JSON.stringify(data), at],
  );
  return id;
}

/** The execution that a contact is on, by the workflow's event. */
export async function startByEvent(
  ctx: ApiContext,
  { id: workflowId, projectId, eventName }: Graph,
  contactId: string,
  data: Record<string, unknown> = {},
): Promise<string> {
  const triggerEventId = await emit(ctx, projectId, contactId, eventName, data);
  const { id } = await ctx.prisma.workflowExecution.findFirstOrThrow({
    where: { workflowId, contactId, triggerEventId },
  });
  return id;
}

export async function startByApi(
  ctx: ApiContext,
  { id, projectId }: Graph,
  contactId: string,
  context: Record<string, unknown> = {},
): Promise<string> {
  return (await startForContact(ctx, projectId, id, { contactId, context })).id;
}

export interface HistoryEntry {
  id: string;
  /** The step's name. */
  step: string;
  status: string;
  summary: string | null;
  output: Record<string, unknown> | null;
  error: string | null;
}

/** What an execution has been through, in order. */
export async function historyOf(ctx: ApiContext, executionId: string): Promise<HistoryEntry[]> {
  const { rows } = await ctx.pool.query<HistoryEntry>(
    `SELECT id, step_name AS step, status, output ->> 'summary' AS summary, output, error FROM step_executions WHERE execution_id = $1 ORDER BY began_at, id`,
    [executionId],
  );
  return rows;
}

/** `TRIGGER COMPLETED, hello COMPLETED, …` */
export const pathOf = async (ctx: ApiContext, executionId: string): Promise<string> =>
  (await historyOf(ctx, executionId)).map(({ step, status }) => `${step} ${status}`).join(', ');

export const executionRow = (ctx: ApiContext, id: string) =>
  ctx.prisma.workflowExecution.findUniqueOrThrow({ where: { id } });
export const emailsOf = (ctx: ApiContext, executionId: string) =>
  ctx.prisma.email.findMany({ where: { executionId }, orderBy: { id: 'asc' } });
