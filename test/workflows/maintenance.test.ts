/** The housekeeping loops over skipped time. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createMaintenanceActivities } from '../../activities/maintenance.js';
import { createContext, type Context } from '../../src/context.js';
import { createLog } from '../../src/log.js';
import type { maintenance } from '../../workflows/maintenance.js';
import { insertProject, testConfig } from '../helpers/api.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';
import { timeSkippingEnvironment, workflowBundle } from '../helpers/temporal.js';

vi.setConfig({ testTimeout: 60_000 });

const MINUTE = 60_000;

let database: TestDatabase;
let ctx: Context;
let env: TestWorkflowEnvironment;
let worker: Worker;
let running: Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
  const config = testConfig(database.url);
  ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
});

afterAll(async () => {
  await ctx.close();
  await database.drop();
});

// A server has one clock, so each test has its own server.
beforeEach(async () => {
  env = await timeSkippingEnvironment();
  worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: 'system',
    workflowBundle: await workflowBundle(),
    activities: createMaintenanceActivities(ctx),
  });
  running = worker.run();
});

afterEach(async () => {
  worker.shutdown();
  await running;
  await env.teardown();
});

const start = (): Promise<WorkflowHandle<typeof maintenance>> =>
  env.client.workflow.start<typeof maintenance>('maintenance', {
    workflowId: 'maintenance:expiry',
    taskQueue: 'system',
    args: [{ name: 'expiry' }],
  });
const roundsOf = async (handle: WorkflowHandle): Promise<number> =>
  (await handle.fetchHistory()).events?.filter((event) => event.activityTaskCompletedEventAttributes).length ?? 0;

async function insertKey(projectId: string, key: string, age: string): Promise<void> {
  await ctx.pool.query(
    `INSERT INTO idempotency_keys (project_id, key, request, response, created_at, expires_at)
     VALUES ($1, $2, 'POST /v1/send', '{}', now() - $3::interval, now() + interval '24 hours' - $3::interval)`,
    [projectId, key, age],
  );
}
const keysOf = async (projectId: string): Promise<string[]> =>
  (
    await ctx.pool.query<{ key: string }>('SELECT key FROM idempotency_keys WHERE project_id = $1 ORDER BY key', [
      projectId,
    ])
  ).rows.map(({ key }) => key);

test('expired idempotency keys are removed in every round, and valid ones stay', async () => {
  const project = await insertProject(ctx);
  await insertKey(project.id, 'expired', '25 hours');
  await insertKey(project.id, 'living', '1 hour');
  const handle = await start();
  await eventually(async () => expect(await keysOf(project.id)).toEqual(['living']));

  await insertKey(project.id, 'expired later', '25 hours');
  await env.sleep(10 * MINUTE);
  await eventually(async () => expect(await keysOf(project.id)).toEqual(['living']));
  // The round continues with other expired rows.
  await eventually(async () => expect(await roundsOf(handle)).toBe(2));
});

test('a round runs every 10 minutes and after a poke, and a cancellation ends the loop without an error', async () => {
  const handle = await start();
  await eventually(async () => expect(await roundsOf(handle)).toBe(1));
  await handle.signal('poke');
  await eventually(async () => expect(await roundsOf(handle)).toBe(2));
  await env.sleep(60 * MINUTE);
  await eventually(async () => expect(await roundsOf(handle)).toBe(8));
  await handle.cancel();
  await handle.result();
  expect((await handle.describe()).status.name).toBe('COMPLETED');
});

test('a loop that runs for days continues as new, so that its history stays short', async () => {
  const handle = await start();
  const { runId } = await handle.describe();
  // 4,096 events, at which the server suggests it, are about 600 rounds.
  await env.sleep(4.5 * 24 * 60 * MINUTE);
  const now = env.client.workflow.getHandle('maintenance:expiry');
  expect((await now.describe()).runId).not.toBe(runId);
  expect((await now.fetchHistory()).events?.length).toBeLessThan(4500);
});
