/**
 * Executions for tests: on a database alone, step by step, or with a whole worker on a server whose time is skipped.
 */
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect } from 'vitest';
import { createContext, type ApiContext } from '../../src/context.js';
import { advance, type Advance } from '../../src/domain/executions/advance.js';
import { createLog } from '../../src/log.js';
import { createCaptureTransport, type CaptureTransport } from './capture-transport.js';
import { startWorker, type RunningWorker } from '../../src/temporal/worker.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { insertProject, testConfig, type TestProject } from './project.js';
import { timeSkippingEnvironment, workflowBundle } from './temporal.js';
import {
  executionRow,
  historyOf,
  insertContact,
  insertGraph,
  startByEvent,
  type Graph,
  type GraphSpec,
} from './workflow-graph.js';

export interface Stepper {
  ctx: ApiContext;
  project: () => Promise<TestProject>;
  /** A workflow, a contact, and its execution by the workflow's event; nothing has run yet. */
  begin: (spec: GraphSpec, options?: Begin) => Promise<Begun>;
  /** One call of `advance`, at a time that is so many milliseconds after now. */
  advance: (
    execution: { projectId: string; executionId: string },
    options?: { after?: number; gaveUpOn?: string },
  ) => Promise<Advance>;
}

export interface Begin {
  project?: TestProject;
  contact?: { email?: string; subscribed?: boolean; data?: Record<string, unknown> };
  /** Data of the event. */
  data?: Record<string, unknown>;
}

export interface Begun {
  project: TestProject;
  projectId: string;
  graph: Graph;
  contactId: string;
  executionId: string;
}

async function beginIn(ctx: ApiContext, spec: GraphSpec, { project, contact, data }: Begin = {}): Promise<Begun> {
  const owner = project ?? (await insertProject(ctx));
  const graph = await insertGraph(ctx, owner.id, spec);
  const contactId = await insertContact(ctx, owner.id, contact);
  return {
    project: owner,
    projectId: owner.id,
    graph,
    contactId,
    executionId: await startByEvent(ctx, graph, contactId, data),
  };
}

/** A database for a test file, on which it advances executions by hand: what happens when is the test's own choice. */
export function useStepper(overrides: Record<string, string> = {}): Stepper {
  let database: TestDatabase | undefined;
  let ctx: ApiContext | undefined;
  const ready = (): ApiContext => {
    if (!ctx) throw new Error('The database is made in beforeAll');
    return ctx;
  };
  beforeAll(async () => {
    database = await createTestDatabase();
    const config = testConfig(database.url, overrides);
    ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
  });
  afterAll(async () => {
    await ctx?.close();
    await database?.drop();
  });
  return {
    get ctx() {
      return ready();
    },
    project: () => insertProject(ready()),
    begin: (spec, options) => beginIn(ready(), spec, options),
    advance: ({ projectId, executionId }, { after = 0, gaveUpOn } = {}) =>
      advance(ready(), { projectId, executionId, now: Date.now() + after, gaveUpOn }),
  };
}

export interface Journeys {
  ctx: ApiContext;
  env: TestWorkflowEnvironment;
  transport: CaptureTransport;
  begin: (spec: GraphSpec, options?: Begin) => Promise<Begun>;
  handle: (executionId: string) => WorkflowHandle;
  /** Waits until the row has this status and its Temporal workflow has gone as far. */
  reaches: (executionId: string, status: string) => Promise<void>;
  /** Waits until the execution is at this step, and waits there. */
  waitsAt: (executionId: string, step: string) => Promise<void>;
  /** Moves the server's clock. */
  skip: (ms: number) => Promise<void>;
}

/**
 * A database, a server, and a whole worker.
 *
 * @param startServer by default one whose clock the tests of a file move, one after the other: all tests of the file share the clock
 */
export function useJourneys(
  overrides: Record<string, string> = {},
  startServer: () => Promise<TestWorkflowEnvironment> = timeSkippingEnvironment,
): Journeys {
  let database: TestDatabase | undefined;
  let worker: RunningWorker | undefined;
  const parts: Partial<Pick<Journeys, 'ctx' | 'env' | 'transport'>> = {};
  const part = <K extends keyof typeof parts>(name: K): NonNullable<(typeof parts)[K]> => {
    const found = parts[name];
    if (!found) throw new Error('The servers are started in beforeAll');
    return found;
  };
  beforeAll(async () => {
    database = await createTestDatabase();
    parts.env = await startServer();
    parts.transport = createCaptureTransport();
    const config = testConfig(database.url, { TEMPORAL_ADDRESS: parts.env.address, ...overrides });
    parts.ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
    worker = await startWorker(config, createLog(config.LOG_LEVEL), {
      transport: parts.transport,
      workflows: { workflowBundle: await workflowBundle() },
    });
  }, 120_000);
  afterAll(async () => {
    await worker?.stop();
    await parts.env?.teardown();
    await parts.ctx?.close();
    await database?.drop();
  }, 60_000);
  return {
    get ctx() {
      return part('ctx');
    },
    get env() {
      return part('env');
    },
    get transport() {
      return part('transport');
    },
    begin: async (spec, options) => {
      const begun = await beginIn(part('ctx'), spec, options);
      part('ctx').wake('outbox');
      return begun;
    },
    handle: (executionId) => part('env').client.workflow.getHandle(`execution:${executionId}`),
    reaches: (executionId, status) =>
      eventually(async () => {
        expect((await executionRow(part('ctx'), executionId)).status).toBe(status);
        if (status !== 'RUNNING' && status !== 'WAITING')
          expect(
            (await part('env').client.workflow.getHandle(`execution:${executionId}`).describe()).status.name,
          ).not.toBe('RUNNING');
      }),
    waitsAt: (executionId, step) =>
      eventually(async () => {
        const history = await historyOf(part('ctx'), executionId);
        expect(history.at(-1)).toMatchObject({ step, status: 'WAITING' });
        // Its workflow task is completed, and its timer set: time that is skipped before would not count.
        const { events = [] } = await part('env').client.workflow.getHandle(`execution:${executionId}`).fetchHistory();
        const tasks = { begun: 0, done: 0 };
        for (const event of events ?? []) {
          if (event.workflowTaskScheduledEventAttributes) tasks.begun += 1;
          if (
            event.workflowTaskCompletedEventAttributes ||
            event.workflowTaskFailedEventAttributes ||
            event.workflowTaskTimedOutEventAttributes
          )
            tasks.done += 1;
        }
        expect(tasks.done).toBe(tasks.begun);
      }),
    skip: (ms) => part('env').sleep(ms),
  };
}
