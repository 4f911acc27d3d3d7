/**
 * A campaign's send.
 *
 * The rows are the truth: status, recipients and counters are in the database, and every activity looks there first. This workflow gives the
 * run its clock, its retries and its place in the Temporal Web UI.
 */
import { CancellationScope, condition, continueAsNew, isCancellation, proxyActivities, proxyLocalActivities, setCurrentDetails, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaign.js';
import { poke } from './signals.js';

export interface CampaignSendInput {
  campaignId: string;
  projectId: string;
  attempt: number;
}

const retry = { initialInterval: '500ms', maximumInterval: '15s' } as const;
const quick = proxyLocalActivities<CampaignActivities>({ startToCloseTimeout: '30s', retry });
const snapshots = proxyActivities<CampaignActivities>({ startToCloseTimeout: '5m', retry, summary: 'Snapshot of the audience' });
// The heartbeat tells a batch of the cancellation, and the server of a worker that died.
const batches = proxyActivities<CampaignActivities>({ startToCloseTimeout: '10m', heartbeatTimeout: '10s', retry, summary: 'Emails handed over' });

export async function campaignSend(run: CampaignSendInput): Promise<string> {
  let poked = false;
  setHandler(poke, () => {
    poked = true;
  });

  try {
    if (!(await quick.beginCampaign(run))) return 'nothing to send';

    let recipients: { done: boolean; totalRecipients: number };
    do recipients = await snapshots.snapshotCampaign(run);
    while (!recipients.done);

    for (;;) {
      await sendWhatIsDue(run, recipients.totalRecipients);
      const { finished, pending, waitMs } = await quick.finishCampaign(run);
      if (finished) return `sent to ${recipients.totalRecipients}`;
      setCurrentDetails(`${pending} of ${recipients.totalRecipients} wait for another attempt`);
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof campaignSend>(run);
      poked = false;
      await condition(() => poked, waitMs);
    }
  } catch (error) {
    // Cancelled by the API, which has changed the row already, or in the Web UI: then the row learns of it here.
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => quick.cancelCampaign(run));
    throw error;
  }
}

/** Lanes of batches side by side, so that several workers can share one campaign. */
async function sendWhatIsDue(run: CampaignSendInput, totalRecipients: number): Promise<void> {
  let handedOver = 0;
  const lane = async (): Promise<void> => {
    for (;;) {
      const batch = await batches.sendCampaignBatch(run);
      handedOver += batch.sent;
      setCurrentDetails(`${handedOver} handed over in this round, of ${totalRecipients}`);
      if (batch.reason === 'drained') return;
      if (batch.pausedMs > 0) await sleep(batch.pausedMs);
      if (workflowInfo().continueAsNewSuggested) return;
    }
  };
  await Promise.all(Array.from({ length: totalRecipients > 5000 ? 2 : 1 }, lane));
}
