/** A whole worker over skipped time. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createContext, type ApiContext } from '../../src/context.js';
import { createLog } from '../../src/log.js';
import { startWorker, type RunningWorker } from '../../src/temporal/worker.js';
import { createCaptureTransport, type CaptureTransport } from './capture-transport.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { testConfig } from './project.js';
import { timeSkippingEnvironment, workflowBundle } from './temporal.js';

export interface SkippedTime {
  ctx: ApiContext;
  env: TestWorkflowEnvironment;
  transport: CaptureTransport;
}

/**
 * Starts a worker and a time-skipping server for each test of a file, over one database. A server has one clock, so each test
 * has its own.
 *
 * @param receive gets the parts before each test
 */
export function useSkippedTime(receive: (parts: SkippedTime) => void): void {
  let database: TestDatabase;
  let ctx: ApiContext;
  let env: TestWorkflowEnvironment;
  let worker: RunningWorker;
  beforeAll(async () => {
    database = await createTestDatabase();
    const config = testConfig(database.url);
    ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
  });
  afterAll(async () => {
    await ctx.close();
    await database.drop();
  });
  beforeEach(async () => {
    env = await timeSkippingEnvironment();
    const transport = createCaptureTransport();
    const config = testConfig(database.url, { TEMPORAL_ADDRESS: env.address });
    const workflows = { workflowBundle: await workflowBundle() };
    worker = await startWorker(config, createLog(config.LOG_LEVEL), { transport, workflows });
    receive({ ctx, env, transport });
  });
  afterEach(async () => {
    await worker.stop();
    await env.teardown();
  });
}
