/** The calibration of executions: Temporal workflows that do nothing, or only wait. */
import { condition, defineSignal, proxyLocalActivities, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import type { BareActivities } from './bare-worker.js';

const { resumed } = proxyLocalActivities<BareActivities>({ startToCloseTimeout: '10s' });

export async function empty(): Promise<void> {}

export async function sleeper(): Promise<void> {
  await sleep(1000);
}

export const go = defineSignal('go');

/** Waits for a signal, and reports when it continues. */
export async function waiter(): Promise<void> {
  let told = false;
  setHandler(go, () => {
    told = true;
  });
  await condition(() => told);
  await resumed(workflowInfo().workflowId);
}
