/** The Temporal workflow `contactImport`: a whole worker, the outbox and its relay, on a development server. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createContext, type ApiContext } from '../../src/context.js';
import { insertImportPart } from '../../src/domain/imports/file-sql.js';
import { requestImport } from '../../src/domain/imports/request.js';
import { getImportJob } from '../../src/domain/jobs/view.js';
import { newId } from '../../src/ids.js';
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

const ROWS = 12_000;
const CHUNK = 5000;

let database: TestDatabase;
let ctx: ApiContext;
let env: TestWorkflowEnvironment;
let worker: RunningWorker | null = null;
let project: Audience;
let blocker: PoolClient | null = null;

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
  project = await insertAudience(ctx, 0);
});

afterEach(async () => {
  await release();
  await stop();
});

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

const email = (row: number): string => `c${row}@x.test`;
const file = (): Buffer =>
  Buffer.from(
    `email,subscribed,n\n${Array.from({ length: ROWS }, (_, row) => `${email(row)},no,${row}`).join('\n')}\n`,
  );
const job = (id: string) => getImportJob(ctx, project.id, id);
const handle = (id: string) => env.client.workflow.getHandle(`import:${id}`);
const statusOf = async (id: string): Promise<string> => (await handle(id).describe()).status.name;
const leftovers = async (jobId: string): Promise<number> =>
  (await ctx.prisma.importFile.count({ where: { jobId } })) + (await ctx.prisma.importRow.count({ where: { jobId } }));

/** Locks the contact of a row, so that its chunk rolls back and is retried. */
async function hold(row: number): Promise<void> {
  await ctx.pool.query(`INSERT INTO contacts (id, project_id, email, subscribed) VALUES (uuid_v7(), $1, $2, true)`, [
    project.id,
    email(row),
  ]);
  blocker = await ctx.pool.connect();
  await blocker.query('BEGIN');
  await blocker.query(`SELECT FROM contacts WHERE project_id = $1 AND email = $2 FOR UPDATE`, [project.id, email(row)]);
}

async function release(): Promise<void> {
  await blocker?.query('COMMIT');
  blocker?.release();
  blocker = null;
}

/** Queues an import that stops within its second chunk. */
async function stuck(): Promise<string> {
  await hold(CHUNK + 100);
  const id = await requestImport(ctx, project.id, file());
  await eventually(async () => expect(await job(id)).toMatchObject({ state: 'active', progress: 41 }));
  return id;
}

const DONE = { totalRows: ROWS, successCount: ROWS, failureCount: 0, errors: [] };

test('an import is delivered to Temporal, runs chunk by chunk, and leaves no temporary data', async () => {
  await start();
  const id = await requestImport(ctx, project.id, file());
  await eventually(async () =>
    expect(await job(id)).toEqual({
      id,
      state: 'completed',
      progress: 100,
      failedReason: null,
      result: { ...DONE, createdCount: ROWS, updatedCount: 0 },
    }),
  );
  await eventually(async () => expect(await statusOf(id)).toBe('COMPLETED'));
  expect(await ctx.prisma.contact.count({ where: { projectId: project.id, subscribed: false } })).toBe(ROWS);
  expect(await leftovers(id)).toBe(0);
  const { events } = await handle(id).fetchHistory();
  // Two chunks run concurrently, and one after the other if they conflict.
  const steps = events?.filter(
    ({ activityTaskCompletedEventAttributes }) => activityTaskCompletedEventAttributes,
  ).length;
  expect(steps).toBeGreaterThanOrEqual(1 + Math.ceil(ROWS / (2 * CHUNK)));
  expect(steps).toBeLessThanOrEqual(1 + Math.ceil(ROWS / CHUNK));
});

test('an import that is canceled in the Web UI ends as CANCELLED and keeps its merged rows', async () => {
  await start();
  const id = await stuck();
  await handle(id).cancel();
  await eventually(async () =>
    expect(await job(id)).toMatchObject({
      state: 'cancelled',
      failedReason: null,
      result: { totalRows: ROWS, successCount: CHUNK, createdCount: CHUNK },
    }),
  );
  await release();
  await eventually(async () => expect(await statusOf(id)).toBe('CANCELLED'));
  expect(await leftovers(id)).toBe(0);
  expect(await ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(CHUNK + 1);
});

test('the next worker continues the import of a stopped worker, and no row is merged twice', async () => {
  await start();
  const id = await stuck();
  await stop();
  await release();
  await start();
  await eventually(async () =>
    expect(await job(id)).toMatchObject({
      state: 'completed',
      result: { ...DONE, createdCount: ROWS - 1, updatedCount: 1 },
    }),
  );
  // Only the existing contact changed its subscription, once.
  expect(await ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(1);
});

test('the reconcile sweep starts an import whose start was lost, and cancels a terminated one', async () => {
  const id = await requestImport(ctx, project.id, file());
  await ctx.pool.query('DELETE FROM outbox');
  await reconcile(ctx, env.client);
  expect(await ctx.prisma.outbox.count({ where: { workflowId: `import:${id}`, action: 'start' } })).toBe(1);
  await hold(CHUNK + 100);
  await start();
  await eventually(async () => expect(await job(id)).toMatchObject({ state: 'active', progress: 41 }));
  await handle(id).terminate();
  await stop();
  await eventually(async () => {
    await reconcile(ctx, env.client);
    expect(await job(id)).toMatchObject({ state: 'cancelled', result: { successCount: CHUNK } });
  });
  expect(await leftovers(id)).toBe(0);
});

test('an import with an invalid header fails immediately, with the reason', async () => {
  await start();
  // The API would reject the file, so the test creates the job directly.
  const id = newId();
  const jobRef = { jobId: id, projectId: project.id };
  await ctx.prisma.job.create({ data: { id, projectId: project.id, kind: 'IMPORT' } });
  await insertImportPart(ctx.pool, jobRef, 0, Buffer.from('name,plan\nA,pro\n'));
  await env.client.workflow.start('contactImport', { workflowId: `import:${id}`, taskQueue: 'bulk', args: [jobRef] });
  await eventually(async () =>
    expect(await job(id)).toMatchObject({
      state: 'failed',
      failedReason: expect.stringContaining('no column "email"'),
    }),
  );
  await eventually(async () => expect(await statusOf(id)).toBe('FAILED'));
  expect(await leftovers(id)).toBe(0);
});

test('the workflow of a job that is deleted or has ended does nothing', async () => {
  await start();
  const id = await requestImport(ctx, project.id, file());
  await eventually(async () => expect(await statusOf(id)).toBe('COMPLETED'));
  for (const jobId of [id, project.id]) {
    const again = await env.client.workflow.start('contactImport', {
      workflowId: `import:again-${jobId}`,
      taskQueue: 'bulk',
      args: [{ jobId, projectId: project.id }],
    });
    expect(await again.result()).toBe('nothing to do');
  }
});
