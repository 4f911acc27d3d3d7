/** Runs one maintenance task in a loop. */
import {
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance.js';
import { poke } from './signals.js';

export interface MaintenanceInput {
  name: string;
}

const { runMaintenance } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

export async function maintenance(input: MaintenanceInput): Promise<void> {
  let poked = false;
  setHandler(poke, () => {
    poked = true;
  });

  try {
    for (;;) {
      poked = false;
      const { everyMs } = await runMaintenance(input);
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof maintenance>(input);
      await condition(() => poked, everyMs, { summary: 'until the next round' });
    }
  } catch (error) {
    // An operator has canceled it. Reconcile starts it again.
    if (isCancellation(error)) return;
    throw error;
  }
}
