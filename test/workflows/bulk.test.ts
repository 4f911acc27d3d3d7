/** The Temporal workflow `bulkJob`: a whole worker, the outbox and its relay, on a development server. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createContext, type ApiContext } from '../../src/context.js';
import { requestBulk } from '../../src/domain/bulk/request.js';
import { getBulkJob } from '../../src/domain/jobs/view.js';
import { createLog } from '../../src/log.js';
import { createCaptureTransport } from '../helpers/capture-transport.js';
import { reconcile } from '../../src/temporal/reconcile.js';
import { installRuntime } from '../../src/temporal/runtime.js';
import { startWorker, type RunningWorker } from '../../src/temporal/worker.js';
import { testConfig } from '../helpers/api.js';
import { insertAudience, type Audience } from '../helpers/audience.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';
import { devServerEnvironment, workflowBundle } from '../helpers/temporal.js';

vi.setConfig({ testTimeout: 60_000 });

let database: TestDatabase;
let ctx: ApiContext;
let env: TestWorkflowEnvironment;
let worker: RunningWorker | null = null;
let project: Audience;
let ids: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  await installRuntime(createLog('silent'));
  env = await devServerEnvironment();
  const config = testConfig(database.url, { TEMPORAL_ADDRESS: env.address });
  ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
});

afterAll(async () => {
  await ctx.close();
  await env.teardown();
  await database.drop();
});

beforeEach(async () => {
  project = await insertAudience(ctx, 1000);
  ids = (
    await ctx.prisma.contact.findMany({
      where: { projectId: project.id },
      select: { id: true },
      orderBy: { id: 'asc' },
    })
  ).map(({ id }) => id);
});

afterEach(() => stop());

async function start(): Promise<void> {
  const config = testConfig(database.url, { TEMPORAL_ADDRESS: env.address });
  worker = await startWorker(config, createLog(config.LOG_LEVEL), {
    transport: createCaptureTransport(),
    workflows: { workflowBundle: await workflowBundle() },
  });
}

async function stop(): Promise<void> {
  await worker?.stop();
  worker = null;
}

const job = (id: string) => getBulkJob(ctx, project.id, id);
const handle = (id: string) => env.client.workflow.getHandle(`bulk:${id}`);

/** Runs `work` while one contact is locked: its chunk rolls back and is retried. */
async function whileHeld(contactId: string | undefined, work: () => Promise<void>): Promise<void> {
  const client = await ctx.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM contacts WHERE id = $1 FOR UPDATE', [contactId]);
    await work();
  } finally {
    await client.query('COMMIT');
    client.release();
  }
}

test('a bulk job is delivered to Temporal and completes', async () => {
  await start();
  const id = await requestBulk(ctx, project.id, 'unsubscribe', ids);
  await eventually(async () =>
    expect(await job(id)).toMatchObject({
      state: 'completed',
      progress: 100,
      result: { totalRequested: 1000, successCount: 1000, skippedCount: 0, failureCount: 0, errors: [] },
    }),
  );
  await eventually(async () => expect((await handle(id).describe()).status.name).toBe('COMPLETED'));
  expect(await ctx.prisma.event.count({ where: { projectId: project.id, name: 'contact.unsubscribed' } })).toBe(1000);
});

test('the next worker continues the job of a stopped worker, and no contact has two events', async () => {
  await start();
  let id = '';
  await whileHeld(ids[600], async () => {
    id = await requestBulk(ctx, project.id, 'unsubscribe', ids);
    await eventually(async () => expect(await job(id)).toMatchObject({ state: 'active', progress: 50 }));
    await stop();
  });
  await start();
  await eventually(async () =>
    expect(await job(id)).toMatchObject({ state: 'completed', result: { successCount: 1000, skippedCount: 0 } }),
  );
  expect(await ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(1000);
});

test('a bulk job that is canceled in the Web UI ends as CANCELLED and keeps its committed changes', async () => {
  await start();
  await whileHeld(ids[600], async () => {
    const id = await requestBulk(ctx, project.id, 'delete', ids);
    await eventually(async () => expect(await job(id)).toMatchObject({ state: 'active', progress: 50 }));
    await handle(id).cancel();
    await eventually(async () =>
      expect(await job(id)).toMatchObject({ state: 'cancelled', result: { totalRequested: 1000, successCount: 500 } }),
    );
  });
  expect(await ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(500);
});

test('the reconcile sweep starts a job whose start was lost, and cancels a terminated one', async () => {
  const [lost, terminated] = [
    await requestBulk(ctx, project.id, 'unsubscribe', ids.slice(0, 10)),
    await requestBulk(ctx, project.id, 'delete', ids.slice(10)),
  ];
  await ctx.pool.query('DELETE FROM outbox');
  await env.client.workflow.start('bulkJob', { workflowId: `bulk:${terminated}`, taskQueue: 'bulk', args: [] });
  await handle(terminated).terminate();
  await eventually(async () => {
    await reconcile(ctx, env.client);
    expect(await job(terminated)).toMatchObject({ state: 'cancelled', result: { successCount: 0 } });
  });
  await start();
  await eventually(async () =>
    expect(await job(lost)).toMatchObject({ state: 'completed', result: { successCount: 10 } }),
  );
  expect(await ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(1000);
});
