/** The Temporal workflow `exportJob`: a whole worker, the outbox and its relay, on a development server. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createContext, type Context } from '../../src/context.js';
import { requestExport } from '../../src/domain/exports/request.js';
import { getJob } from '../../src/domain/jobs/get.js';
import { createLog } from '../../src/log.js';
import { reconcile } from '../../src/temporal/reconcile.js';
import { installRuntime } from '../../src/temporal/runtime.js';
import { startWorker, type RunningWorker } from '../../src/temporal/worker.js';
import { testConfig } from '../helpers/api.js';
import { insertAudience } from '../helpers/audience.js';
import { createCaptureTransport } from '../helpers/capture-transport.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';
import { devServerEnvironment, workflowBundle } from '../helpers/temporal.js';

vi.setConfig({ testTimeout: 60_000 });

let database: TestDatabase;
let ctx: Context;
let env: TestWorkflowEnvironment;
let worker: RunningWorker | null = null;

beforeAll(async () => {
  database = await createTestDatabase();
  installRuntime(createLog('silent'));
  env = await devServerEnvironment();
  const config = testConfig(database.url, { TEMPORAL_ADDRESS: env.address });
  ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
});

afterAll(async () => {
  await worker?.stop();
  await ctx.close();
  await env.teardown();
  await database.drop();
});

test('reconcile cancels a terminated export, starts one whose start was lost, and the worker completes it', async () => {
  const { id: projectId } = await insertAudience(ctx, 10);
  const request = { kind: 'contacts', format: 'csv', createdBy: null } as const;
  const [lost, terminated] = [
    await requestExport(ctx, projectId, request),
    await requestExport(ctx, projectId, request),
  ];
  await ctx.pool.query('DELETE FROM outbox');
  const workflowId = `export:${terminated}`;
  await env.client.workflow.start('exportJob', { workflowId, taskQueue: 'bulk', args: [] });
  await env.client.workflow.getHandle(workflowId).terminate();
  await eventually(async () => {
    await reconcile(ctx, env.client);
    expect(await getJob(ctx, projectId, terminated)).toMatchObject({ state: 'cancelled', result: { url: null } });
  });
  const config = testConfig(database.url, { TEMPORAL_ADDRESS: env.address });
  worker = await startWorker(config, createLog(config.LOG_LEVEL), {
    transport: createCaptureTransport(),
    workflows: { workflowBundle: await workflowBundle() },
  });
  await eventually(async () =>
    expect(await getJob(ctx, projectId, lost)).toMatchObject({ state: 'completed', result: { rows: 10 } }),
  );
});
