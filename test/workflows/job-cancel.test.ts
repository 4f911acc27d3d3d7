/** What the Temporal workflow of a job does when its cancellation meets the result of an activity. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { installRuntime } from '../../src/temporal/runtime.js';
import { createLog } from '../../src/log.js';
import { eventually } from '../helpers/eventually.js';
import { devServerEnvironment, workflowBundle } from '../helpers/temporal.js';

vi.setConfig({ testTimeout: 60_000 });

const JOB = { jobId: 'job', projectId: 'project' };
const taskQueue = 'bulk';

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  await installRuntime(createLog('silent'));
  env = await devServerEnvironment();
});

afterAll(async () => {
  await env.teardown();
});

test('a job whose activity finds it canceled before the workflow learns of the cancellation ends as CANCELLED', async () => {
  const connection = env.nativeConnection;
  let findCanceled = (): void => undefined;
  const found = new Promise<null>((resolve) => (findCanceled = () => resolve(null)));
  let isRunning = false;
  const runExport = (): Promise<null> => {
    isRunning = true;
    return found;
  };
  const closed: unknown[] = [];
  const cancelJob = async (job: unknown): Promise<void> => void closed.push(job);

  const handle = await env.client.workflow.start('exportJob', { workflowId: 'export:job', taskQueue, args: [JOB] });
  const activities = await Worker.create({ connection, taskQueue, activities: { runExport } });
  await activities.runUntil(async () => {
    const before = await Worker.create({ connection, taskQueue, workflowBundle: await workflowBundle() });
    await before.runUntil(() => eventually(() => expect(isRunning).toBe(true)));
    // No worker runs workflows, so the next one learns of both in one task.
    await handle.cancel();
    findCanceled();
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      expect(events?.some((event) => event.activityTaskCompletedEventAttributes)).toBe(true);
    });
  });
  const after = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await workflowBundle(),
    activities: { cancelJob },
  });
  await after.runUntil(() => eventually(async () => expect((await handle.describe()).status.name).toBe('CANCELLED')));
  expect(closed).toEqual([JOB]);
});
