/**
 * A campaign's send.
 *
 * The rows are the truth: status, recipients and counters are in the database, and every activity looks there first.
 * This workflow gives the run its clock, its retries and its place in the Temporal Web UI.
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
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaign.js';
import { poke } from './signals.js';

export interface CampaignSendInput {
  campaignId: string;
  projectId: string;
  attempt: number;
}

const RECIPIENTS_PER_LANE = 20_000;
const retry = { initialInterval: '500ms', maximumInterval: '15s' } as const;
const quick = proxyLocalActivities<CampaignActivities>({ startToCloseTimeout: '30s', retry });
// The heartbeat tells the server of a worker that died, and a batch of the cancellation.
const snapshots = proxyActivities<CampaignActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Snapshot of the audience',
});
const batches = proxyActivities<CampaignActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Emails handed over',
});

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
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => settleCancelled(run));
    throw error;
  }
}

/** Until the outcome of the emails that were being handed over is known, and counted. */
async function settleCancelled(run: CampaignSendInput): Promise<void> {
  while (!(await quick.cancelCampaign(run))) await sleep('1s');
}

/** Lanes of batches side by side, so that several workers can share one large campaign. */
async function sendWhatIsDue(run: CampaignSendInput, totalRecipients: number): Promise<void> {
  const lanes = Math.min(4, Math.ceil(totalRecipients / RECIPIENTS_PER_LANE));
  let handedOver = 0;
  let drained = false;
  const lane = async (): Promise<void> => {
    for (;;) {
      const batch = await batches.sendCampaignBatch(run);
      handedOver += batch.sent;
      setCurrentDetails(`${handedOver} handed over in this round, of ${totalRecipients}`);
      drained ||= batch.reason === 'drained';
      // A lane that found its worker busy with this campaign tries again later, and ends with the others.
      if (!drained && batch.pausedMs > 0) await condition(() => drained, batch.pausedMs);
      if (drained || workflowInfo().continueAsNewSuggested) return;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
