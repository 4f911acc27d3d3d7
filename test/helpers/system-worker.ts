/** A worker of the task queue `system` for the workflows of a test file. */
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createContext, type ApiContext } from '../../src/context.js';
import { createLog } from '../../src/log.js';
import { testConfig } from './api.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { workflowBundle } from './temporal.js';

export interface SystemWorker {
  ctx: ApiContext;
  env: TestWorkflowEnvironment;
  /** Terminates the workflow after the test, unless it has ended. */
  endAfterTest: (handle: WorkflowHandle) => void;
}

export interface SystemWorkerOptions {
  startServer: () => Promise<TestWorkflowEnvironment>;
  createActivities: (ctx: ApiContext) => object;
  /** Environment variables of the context. */
  env?: Record<string, string>;
  /** Another task queue for activities. */
  activityQueue?: string;
}

/**
 * Returns true once the workflow waits for a timer, and false if it has ended.
 *
 * The time-skipping server stops its clock for each task, and never starts it again for one that is terminated.
 */
const waits = (handle: WorkflowHandle): Promise<boolean> =>
  eventually(async () => {
    if ((await handle.describe()).status.name !== 'RUNNING') return false;
    if (!(await handle.fetchHistory()).events?.at(-1)?.timerStartedEventAttributes)
      throw new Error('The workflow has a task');
    return true;
  });

/** A database, a server, and workers for the tests of a file or a `describe`, which share the server's clock. */
export function useSystemWorker({
  startServer,
  createActivities,
  env = {},
  activityQueue,
}: SystemWorkerOptions): SystemWorker {
  const parts: Partial<Pick<SystemWorker, 'ctx' | 'env'>> = {};
  const part = <K extends keyof typeof parts>(name: K): NonNullable<(typeof parts)[K]> => {
    const found = parts[name];
    if (!found) throw new Error('The server is started in beforeAll');
    return found;
  };
  let database: TestDatabase | undefined;
  const workers: Worker[] = [];
  let running: Promise<unknown> | undefined;
  const started: WorkflowHandle[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const config = testConfig(database.url, env);
    parts.ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
    parts.env = await startServer();
    const shared = { connection: parts.env.nativeConnection, activities: createActivities(parts.ctx) };
    workers.push(await Worker.create({ ...shared, taskQueue: 'system', workflowBundle: await workflowBundle() }));
    if (activityQueue !== undefined) workers.push(await Worker.create({ ...shared, taskQueue: activityQueue }));
    running = Promise.all(workers.map((worker) => worker.run()));
  });
  // A workflow of an earlier test would run whenever a later one moves the clock.
  afterEach(async () => {
    for (const handle of started.splice(0)) if (await waits(handle)) await handle.terminate();
  });
  afterAll(async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await parts.env?.teardown();
    await parts.ctx?.close();
    await database?.drop();
  });

  return {
    get ctx() {
      return part('ctx');
    },
    get env() {
      return part('env');
    },
    endAfterTest: (handle) => void started.push(handle),
  };
}
