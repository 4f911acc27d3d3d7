/**
 * Sends a campaign.
 *
 * The database is the source of truth: every activity starts from the campaign's status, recipients, and counters. This
 * workflow adds timers, retries, and a page in the Temporal Web UI.
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
// Through heartbeats, the server detects a worker that has stopped, and a batch learns about a cancellation.
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
      await sendDueEmails(run, recipients.totalRecipients);
      const { finished, pending, waitMs } = await quick.finishCampaign(run);
      if (finished) return `sent to ${recipients.totalRecipients}`;
      setCurrentDetails(`${pending} of ${recipients.totalRecipients} wait for another attempt`);
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof campaignSend>(run);
      poked = false;
      await condition(() => poked, waitMs);
    }
  } catch (error) {
    // The API has already changed the row. After a cancellation in the Web UI, this changes it.
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => settleCancelled(run));
    throw error;
  }
}

/** Waits until the outcome of every email in flight is known and counted. */
async function settleCancelled(run: CampaignSendInput): Promise<void> {
  while (!(await quick.cancelCampaign(run))) await sleep('1s');
}

/** Sends the due emails in parallel lanes, so that several workers can share one large campaign. */
async function sendDueEmails(run: CampaignSendInput, totalRecipients: number): Promise<void> {
  const lanes = Math.min(4, Math.ceil(totalRecipients / RECIPIENTS_PER_LANE));
  let handedOver = 0;
  let drained = false;
  const lane = async (): Promise<void> => {
    for (;;) {
      const batch = await batches.sendCampaignBatch(run);
      handedOver += batch.sent;
      setCurrentDetails(`${handedOver} handed over in this round, of ${totalRecipients}`);
      drained ||= batch.reason === 'drained';
      // A lane whose worker is busy with this campaign retries later, and ends with the other lanes.
      if (!drained && batch.pausedMs > 0) await condition(() => drained, batch.pausedMs);
      if (drained || workflowInfo().continueAsNewSuggested) return;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
