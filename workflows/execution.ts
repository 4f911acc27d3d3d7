/**
 * One contact's way through a workflow that a user drew.
 *
 * The row is the truth, and the graph is read from the database whenever a step is reached: `advance` runs every
 * instant step and says why it goes no further. This workflow is the clock, repeats what fails, and shows operators
 * where the contact is.
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
// 10 s for the request, and what the database takes; repeated for an hour (contract, section 7).
const { callWebhook } = proxyActivities<ExecutionActivities>({
  // Of their own: receivers that don't answer hold up nothing else.
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
      // Before the look at the row and not after it: a poke meanwhile asks for another one.
      poked = false;
      const next = await quick.advance({ ...run, now: Date.now(), first, gaveUpOn });
      first = false;
      gaveUpOn = undefined;
      switch (next.kind) {
        case 'ended':
          return next.outcome;
        case 'webhook':
          setCurrentDetails(next.at);
          if (!(await request({ ...run, stepExecutionId: next.stepExecutionId }))) gaveUpOn = next.stepExecutionId;
          break;
        case 'sleep':
        case 'wait':
          setCurrentDetails(next.until === null ? next.at : `${next.at}, until ${new Date(next.until).toISOString()}`);
          // The new run begins with a look at the row, so a poke that comes just now is not lost.
          if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof workflowExecution>(run);
          if (next.until === null) await condition(() => poked);
          else await condition(() => poked, Math.max(1, next.until - Date.now()), { summary: next.at });
          break;
        case 'more':
          break;
      }
    }
  } catch (error) {
    // Cancelled by the API, which has changed the row already, or in the Web UI: then the row learns of it here.
    if (isCancellation(error))
      await CancellationScope.nonCancellable(() => quick.cancelExecution({ ...run, now: Date.now() }));
    throw error;
  }
}

/** @returns false when an hour of attempts was in vain */
async function request(call: WorkflowExecutionInput & { stepExecutionId: string }): Promise<boolean> {
  try {
    await callWebhook(call);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}
