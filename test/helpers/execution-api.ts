/** Executions for tests through `inject`, and what the database has of them. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { ExecutionStatus } from '../../src/generated/prisma/enums.js';
import type { TestApi, TestProject } from './api.js';
import { insertGraph, type Graph, type GraphSpec } from './workflow-graph.js';

/** A time as the API writes it. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const ENDED: ExecutionStatus[] = ['COMPLETED', 'EXITED', 'FAILED', 'CANCELLED'];

export const executionsUrl = ({ id }: { id: string }, rest = ''): string => `/workflows/${id}/executions${rest}`;

const Started = z.object({ id: z.string() });
const Listed = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  page: z.number(),
  pageSize: z.number(),
  total: z.number(),
  totalPages: z.number(),
});

export function executionHelpers(api: TestApi) {
  const start = (project: TestProject, workflow: { id: string }, body: Record<string, unknown>) =>
    api.as(project, 'POST', executionsUrl(workflow), body);

  return {
    start,

    /** An enabled workflow; without steps when none are given. */
    graph: (project: TestProject, spec: Partial<GraphSpec> = {}): Promise<Graph> =>
      insertGraph(api.ctx, project.id, { steps: {}, edges: [], ...spec }),

    /** Starts an execution, which must be taken. @returns its id */
    started: async (project: TestProject, workflow: { id: string }, contactId: string): Promise<string> => {
      const response = await start(project, workflow, { contactId });
      expect(response.statusCode, response.body).toBe(201);
      return Started.parse(response.json()).id;
    },

    listed: async (project: TestProject, workflow: { id: string }, query = '') => {
      const response = await api.as(project, 'GET', executionsUrl(workflow, query));
      expect(response.statusCode, response.body).toBe(200);
      return Listed.parse(response.json());
    },

    /** The intents of these executions, in order. */
    intentsOf: (ids: string[]) =>
      api.ctx.prisma.outbox.findMany({
        where: { workflowId: { in: ids.map((id) => `execution:${id}`) } },
        orderBy: { id: 'asc' },
        select: { workflowId: true, action: true, payload: true },
      }),

    rowsOf: (workflow: { id: string }) =>
      api.ctx.prisma.workflowExecution.findMany({ where: { workflowId: workflow.id }, orderBy: { id: 'asc' } }),

    end: (id: string, status: ExecutionStatus) =>
      api.ctx.prisma.workflowExecution.update({
        where: { id },
        data: { status, completedAt: new Date(), exitReason: 'done' },
      }),
  };
}
