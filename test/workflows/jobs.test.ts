/** The Temporal workflows `exportJob` and `webhookReplay`: a whole worker, the outbox and its relay, on a development server. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createContext, type ApiContext } from '../../src/context.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { requestExport } from '../../src/domain/exports/request.js';
import { getJob } from '../../src/domain/jobs/get.js';
import { addEndpoint } from '../../src/domain/webhooks/manage.js';
import { requestReplay } from '../../src/domain/webhooks/replay.js';
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
let ctx: ApiContext;
let env: TestWorkflowEnvironment;
let worker: RunningWorker | null = null;

beforeAll(async () => {
  database = await createTestDatabase();
  await installRuntime(createLog('silent'));
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

/** @returns the ids of two jobs of a kind */
async function requestTwo(kind: 'export' | 'replay', projectId: string): Promise<[string, string]> {
  const request = async (): Promise<string> => {
    if (kind === 'export') return requestExport(ctx, projectId, { kind: 'contacts', format: 'csv', createdBy: null });
    // An endpoint has one replay at a time.
    const endpoint = { url: 'https://example.com/', events: ['*'], description: '', enabled: true };
    const { id } = await addEndpoint(ctx, projectId, endpoint);
    const { jobId } = await requestReplay(ctx, projectId, id, { since: new Date(0), status: 'ALL' }, null);
    return jobId;
  };
  return [await request(), await request()];
}

const KINDS = [
  { kind: 'export', workflowType: 'exportJob', result: { rows: 10 } },
  { kind: 'replay', workflowType: 'webhookReplay', result: { count: 3 } },
] as const;

test.each(KINDS)(
  'reconcile cancels a terminated $kind, starts one whose start was lost, and the worker completes it',
  async ({ kind, workflowType, result }) => {
    const { id: projectId } = await insertAudience(ctx, 10);
    const events = Array.from({ length: 3 }, () => ({ projectId, contactId: null, name: 'order.placed' }));
    await insertEvents(ctx.pool, events);
    const [lost, terminated] = await requestTwo(kind, projectId);
    await ctx.pool.query('DELETE FROM outbox');
    const workflowId = `${kind}:${terminated}`;
    await env.client.workflow.start(workflowType, { workflowId, taskQueue: 'bulk', args: [] });
    await env.client.workflow.getHandle(workflowId).terminate();
    await eventually(async () => {
      await reconcile(ctx, env.client);
      expect(await getJob(ctx, projectId, terminated)).toMatchObject({ state: 'cancelled' });
    });
    const config = testConfig(database.url, { TEMPORAL_ADDRESS: env.address });
    worker = await startWorker(config, createLog(config.LOG_LEVEL), {
      transport: createCaptureTransport(),
      workflows: { workflowBundle: await workflowBundle() },
    });
    await eventually(async () =>
      expect(await getJob(ctx, projectId, lost)).toMatchObject({ state: 'completed', result }),
    );
    await worker.stop();
    worker = null;
  },
);
