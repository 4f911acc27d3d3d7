/**
 * Runs one contact through a workflow that a user designed.
 *
 * The database is the source of truth, including the graph: `advance` runs every step that needs no waiting and returns
 * why it has stopped. This workflow adds timers and retries, and shows operators the current step.
 */
import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ExecutionActivities } from '../activities/execution.js';
import { poke } from './signals.js';

export interface WorkflowExecutionInput {
  executionId: string;
  projectId: string;
}

const quick = proxyLocalActivities<ExecutionActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', maximumInterval: '15s' },
});
// 10 s for the request, and time for the database. Retried for an hour (contract, section 7).
const { callWebhook } = proxyActivities<ExecutionActivities>({
  // A separate queue, so that unresponsive receivers delay no other work.
  taskQueue: 'webhooks',
  startToCloseTimeout: '20s',
  scheduleToCloseTimeout: '1h',
  retry: { initialInterval: '1s', maximumInterval: '10m' },
  summary: 'Request of a webhook step',
});

export async function workflowExecution(run: WorkflowExecutionInput): Promise<string> {
  let poked = false;
  setHandler(poke, () => {
    poked = true;
  });

  let first = workflowInfo().continuedFromExecutionRunId === undefined;
  let gaveUpOn: string | undefined;
  try {
    for (;;) {
      // Reset before `advance` reads the row: a poke in the meantime requests another call.
      poked = false;
      const next = await quick.advance({ ...run, now: Date.now(), first, gaveUpOn });
      first = false;
      gaveUpOn = undefined;
      switch (next.kind) {
        case 'ended':
          return next.outcome;
        case 'webhook':
          setCurrentDetails(next.at);
          if (!(await callReceiver({ ...run, stepExecutionId: next.stepExecutionId }))) gaveUpOn = next.stepExecutionId;
          break;
        case 'sleep':
        case 'wait':
          setCurrentDetails(next.until === null ? next.at : `${next.at}, until ${new Date(next.until).toISOString()}`);
          // The new run starts by reading the row, so it loses no poke.
          if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof workflowExecution>(run);
          if (next.until === null) await condition(() => poked);
          else await condition(() => poked, Math.max(1, next.until - Date.now()), { summary: next.at });
          break;
        case 'more':
          break;
      }
    }
  } catch (error) {
    // The API has already changed the row. After a cancellation in the Web UI, this changes it.
    if (isCancellation(error))
      await CancellationScope.nonCancellable(() => quick.cancelExecution({ ...run, now: Date.now() }));
    throw error;
  }
}

/** @returns false if all attempts within the hour have failed */
async function callReceiver(call: WorkflowExecutionInput & { stepExecutionId: string }): Promise<boolean> {
  try {
    await callWebhook(call);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}
