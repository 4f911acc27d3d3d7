/** The thread that the Temporal workers of a process share. */
import { fileURLToPath } from 'node:url';
import type { Worker as Thread } from 'node:worker_threads';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createThreadSharingWorkerClass } from '../../src/temporal/workflow-thread.js';
import { timeSkippingEnvironment } from '../helpers/temporal.js';

let env: TestWorkflowEnvironment;
let workflowBundle: WorkflowBundle;
beforeAll(async () => {
  [env, workflowBundle] = await Promise.all([
    timeSkippingEnvironment(),
    bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('../helpers/greeting-workflow.ts', import.meta.url)),
      logger: new DefaultLogger('WARN'),
    }),
  ]);
});
afterAll(() => env.teardown());

test('the workflows of all task queues run in one thread, which ends with the last worker', async () => {
  const threads: Thread[] = [];
  const onThread = (thread: Thread): void => void threads.push(thread);
  process.on('worker', onThread);
  const WorkflowWorker = createThreadSharingWorkerClass();
  const create = (taskQueue: string) =>
    WorkflowWorker.create({ connection: env.nativeConnection, taskQueue, workflowBundle });
  const [first, second] = await Promise.all([create('first'), create('second')]);
  process.off('worker', onThread);
  expect(threads).toHaveLength(1);
  let hasEnded = false;
  threads[0]?.once('exit', () => (hasEnded = true));

  const greet = (taskQueue: string): Promise<string> =>
    env.client.workflow.execute('greet', { taskQueue, workflowId: taskQueue, args: [taskQueue] });
  await second.runUntil(async () => {
    await first.runUntil(async () => expect(await greet('first')).toBe('Hello, first'));
    expect(hasEnded).toBe(false);
    expect(await greet('second')).toBe('Hello, second');
  });
  expect(hasEnded).toBe(true);
});
