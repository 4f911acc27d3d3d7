/**
 * The calibration of bench/executions: a plain Temporal worker and a plain client in their own process. An order has the
 * name of a workflow and a count; the response has the duration.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createLog } from '../../src/log.js';
import { installRuntime } from '../../src/temporal/runtime.js';

export type BareActivities = typeof activities;

/**
 * `start`: starts workflows and waits until they end. `open`: starts workflows and waits until they wait. `signal`:
 * signals the waiting workflows, `perSecond` of them each second.
 */
export interface BareOrder {
  kind: 'start' | 'open' | 'signal';
  workflow: 'empty' | 'sleeper' | 'waiter';
  count: number;
  inFlight: number;
  perSecond?: number;
}

export interface BareAnswer {
  ms: number;
  /** From a signal to the next step, in milliseconds. */
  latencies: number[];
}

const TASK_QUEUE = 'bare';
const resumedAt = new Map<string, number>();
const activities = {
  async resumed(workflowId: string): Promise<void> {
    resumedAt.set(workflowId, Date.now());
  },
};

await installRuntime(createLog('error'));
const address = process.env.TEMPORAL_ADDRESS ?? '';
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: TASK_QUEUE,
  activities,
  workflowsPath: fileURLToPath(new URL('bare-workflows.ts', import.meta.url)),
});
void worker.run();
const client = new Client({ connection: await Connection.connect({ address }) });
let round = 0;
const started = new Map<string, number>();

async function lanes(count: number, inFlight: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

async function ended(workflow: string, count: number): Promise<void> {
  const query = `WorkflowType = '${workflow}' AND ExecutionStatus = 'Completed'`;
  while ((await client.workflow.count(query)).count < count) await sleep(20);
}

async function calibrate({ kind, workflow, count, inFlight, perSecond = 50 }: BareOrder): Promise<BareAnswer> {
  if (kind !== 'signal') round += 1;
  const prefix = `bare-${round}-`;
  const begun = performance.now();
  if (kind === 'signal') {
    const told = new Map<string, number>();
    await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        // An open loop: the start times do not depend on the responses.
        await sleep((n / perSecond) * 1000);
        told.set(`${prefix}${n}`, Date.now());
        await client.workflow.getHandle(`${prefix}${n}`).signal('go');
      }),
    );
    while (resumedAt.size < count) await sleep(20);
    const latencies = [...told].map(([id, at]) => (resumedAt.get(id) ?? 0) - at).sort((a, b) => a - b);
    return { ms: performance.now() - begun, latencies };
  }
  await lanes(count, inFlight, (n) =>
    client.workflow.start(workflow, { workflowId: `${prefix}${n}`, taskQueue: TASK_QUEUE }),
  );
  const total = (started.get(workflow) ?? 0) + count;
  started.set(workflow, total);
  if (kind === 'start') await ended(workflow, total);
  const ms = performance.now() - begun;
  // The last workflows complete their first task.
  if (kind === 'open') await sleep(3000);
  return { ms, latencies: [] };
}

process.on('message', (order: BareOrder) => void calibrate(order).then((answer) => process.send?.(answer)));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
