/**
 * Executions on a development server, with a whole worker or none, for tests of what operators, Temporal and the
 * project's owner do to them.
 */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { createContext, type ApiContext } from '../../src/context.js';
import { createLog } from '../../src/log.js';
import { createCaptureTransport } from './capture-transport.js';
import { installRuntime } from '../../src/temporal/runtime.js';
import { startWorker, type RunningWorker } from '../../src/temporal/worker.js';
import { insertProject, testConfig, type TestProject } from './api.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { devServerEnvironment, workflowBundle } from './temporal.js';
import { delay, executionRow, insertContact, insertGraph, startByApi, waitFor, type Graph } from './workflow-graph.js';

export interface Operator {
  ctx: ApiContext;
  env: TestWorkflowEnvironment;
  project: TestProject;
  /** Starts a worker, unless one runs. */
  start: () => Promise<void>;
  /** The ids of the Temporal workflows that a list finds. */
  visible: (query: string) => Promise<string[]>;
  /** TRIGGER, a wait for `bought`, a delay of a day. */
  waitGraph: () => Promise<Graph>;
  /** An execution of a new contact that waits in Temporal. @returns its id */
  waitingExecution: (graph: Graph) => Promise<string>;
  /** RUNNING, CANCELLED, … */
  temporalStatus: (executionId: string) => Promise<string>;
}

export interface OperatorOptions {
  /**
   * Of the database and the worker. `test`: for tests of sweeps, which look at all there is; what a test leaves running
   * in Temporal is ended after it.
   * `file`: every test has a project of its own, and the worker is started with the first.
   */
  life: 'test' | 'file';
}

/** A server for a test file, and a project for each test. */
export function useOperator({ life }: OperatorOptions): Operator {
  const parts: Partial<{
    database: TestDatabase;
    ctx: ApiContext;
    env: TestWorkflowEnvironment;
    project: TestProject;
    worker: RunningWorker;
  }> = {};
  const part = <K extends keyof typeof parts>(name: K): NonNullable<(typeof parts)[K]> => {
    const found = parts[name];
    if (!found) throw new Error('The servers are started in beforeAll and beforeEach');
    return found;
  };
  const config = () => testConfig(part('database').url, { TEMPORAL_ADDRESS: part('env').address });

  beforeAll(async () => {
    await installRuntime(createLog('silent'));
    parts.env = await devServerEnvironment();
  });
  beforeEach(async () => {
    if (!parts.database) {
      parts.database = await createTestDatabase();
      parts.ctx = createContext(config(), createLog(config().LOG_LEVEL), { name: 'test' });
    }
    parts.project = await insertProject(part('ctx'));
  });
  const close = async (): Promise<void> => {
    await parts.worker?.stop();
    await parts.ctx?.close();
    await parts.database?.drop();
    parts.worker = parts.ctx = parts.database = undefined;
  };
  afterEach(async () => {
    if (life === 'file') return;
    await close();
    const { workflow } = part('env').client;
    for await (const { workflowId } of workflow.list({ query: `ExecutionStatus = 'Running'` }))
      await workflow.getHandle(workflowId).terminate();
    await eventually(async () => expect(await visible(`ExecutionStatus = 'Running'`)).toEqual([]));
  });

  afterAll(async () => {
    await close();
    await parts.env?.teardown();
  });

  const visible = async (query: string): Promise<string[]> => {
    const ids = [];
    for await (const { workflowId } of part('env').client.workflow.list({ query })) ids.push(workflowId);
    return ids;
  };
  const temporalStatus = async (id: string): Promise<string> =>
    (await part('env').client.workflow.getHandle(`execution:${id}`).describe()).status.name;

  return {
    get ctx() {
      return part('ctx');
    },
    get env() {
      return part('env');
    },
    get project() {
      return part('project');
    },
    start: async () => {
      parts.worker ??= await startWorker(config(), createLog(config().LOG_LEVEL), {
        transport: createCaptureTransport(),
        workflows: { workflowBundle: await workflowBundle() },
      });
    },
    visible,
    temporalStatus,
    waitGraph: () =>
      insertGraph(part('ctx'), part('project').id, {
        steps: { wait: waitFor('bought'), pause: delay(1) },
        edges: ['TRIGGER > wait', 'wait > pause'],
      }),
    waitingExecution: async (graph) => {
      const ctx = part('ctx');
      const id = await startByApi(ctx, graph, await insertContact(ctx, graph.projectId));
      await eventually(async () => {
        expect((await executionRow(ctx, id)).status).toBe('WAITING');
        expect(await temporalStatus(id)).toBe('RUNNING');
      });
      return id;
    },
  };
}
