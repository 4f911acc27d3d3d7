/** The housekeeping loops over skipped time. */
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { createMaintenanceActivities } from '../../activities/maintenance.js';
import type { ApiContext } from '../../src/context.js';
import type { maintenance } from '../../workflows/maintenance.js';
import { insertProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { useSystemWorker, type SystemWorker } from '../helpers/system-worker.js';
import { devServerEnvironment, timeSkippingEnvironment } from '../helpers/temporal.js';

const MINUTE = 60_000;

async function start({ env, endAfterTest }: SystemWorker): Promise<WorkflowHandle<typeof maintenance>> {
  const handle = await env.client.workflow.start<typeof maintenance>('maintenance', {
    workflowId: 'maintenance:expiry',
    taskQueue: 'system',
    args: [{ name: 'expiry' }],
  });
  endAfterTest(handle);
  return handle;
}
const roundsOf = async (handle: WorkflowHandle): Promise<number> =>
  (await handle.fetchHistory()).events?.filter((event) => event.activityTaskCompletedEventAttributes).length ?? 0;

async function insertKey(ctx: ApiContext, projectId: string, key: string, age: string): Promise<void> {
  await ctx.pool.query(
    `INSERT INTO idempotency_keys (project_id, key, request, response, created_at, expires_at)
     VALUES ($1, $2, 'POST /v1/send', '{}', now() - $3::interval, now() + interval '24 hours' - $3::interval)`,
    [projectId, key, age],
  );
}
const keysOf = async (ctx: ApiContext, projectId: string): Promise<string[]> =>
  (
    await ctx.pool.query<{ key: string }>('SELECT key FROM idempotency_keys WHERE project_id = $1 ORDER BY key', [
      projectId,
    ])
  ).rows.map(({ key }) => key);

describe('over skipped time', () => {
  const worker = useSystemWorker({
    startServer: timeSkippingEnvironment,
    createActivities: createMaintenanceActivities,
  });

  test('expired idempotency keys are removed in every round, and valid ones stay', async () => {
    const project = await insertProject(worker.ctx);
    await insertKey(worker.ctx, project.id, 'expired', '25 hours');
    await insertKey(worker.ctx, project.id, 'living', '1 hour');
    const handle = await start(worker);
    await eventually(async () => expect(await keysOf(worker.ctx, project.id)).toEqual(['living']));

    await insertKey(worker.ctx, project.id, 'expired later', '25 hours');
    await worker.env.sleep(10 * MINUTE);
    await eventually(async () => expect(await keysOf(worker.ctx, project.id)).toEqual(['living']));
    // The round continues with other expired rows.
    await eventually(async () => expect(await roundsOf(handle)).toBe(2));
  });

  test('a round runs every 10 minutes and after a poke, and a cancellation ends the loop without an error', async () => {
    const handle = await start(worker);
    await eventually(async () => expect(await roundsOf(handle)).toBe(1));
    await handle.signal('poke');
    await eventually(async () => expect(await roundsOf(handle)).toBe(2));
    await worker.env.sleep(60 * MINUTE);
    await eventually(async () => expect(await roundsOf(handle)).toBe(8));
    await handle.cancel();
    await handle.result();
    expect((await handle.describe()).status.name).toBe('COMPLETED');
  });
});

describe('with a long history', () => {
  const worker = useSystemWorker({
    startServer: () => devServerEnvironment({ suggestContinueAsNew: 40 }),
    createActivities: createMaintenanceActivities,
  });

  test('a loop continues as new when the server suggests it, so that its history stays short', async () => {
    const handle = await start(worker);
    const { runId } = await handle.describe();
    await eventually(async () => {
      await handle.signal('poke');
      expect((await handle.describe()).runId).not.toBe(runId);
    });
    const rounds = await roundsOf(handle);
    await handle.signal('poke');
    await eventually(async () => expect(await roundsOf(handle)).toBeGreaterThan(rounds));
    expect((await handle.fetchHistory()).events?.length).toBeLessThan(60);
  });
});
