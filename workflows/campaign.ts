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
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaign.js';
import { sendDueEmails, type Progress } from './campaign-lanes.js';
import { poke } from './signals.js';

export interface CampaignSendInput {
  campaignId: string;
  projectId: string;
  attempt: number;
}

const retry = { initialInterval: '500ms', maximumInterval: '15s' } as const;
const quick = proxyLocalActivities<CampaignActivities>({ startToCloseTimeout: '30s', retry });
const snapshots = proxyActivities<CampaignActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Snapshot of the audience',
});
export async function campaignSend(run: CampaignSendInput): Promise<string> {
  let poked = false;
  setHandler(poke, () => {
    poked = true;
  });

  try {
    if (!(await quick.beginCampaign(run))) return 'nothing to send';

    const progress = { handedOver: 0, totalRecipients: 0 };
    const snapshot = takeSnapshot(run, progress);
    // A campaign that an earlier version started is sent after its snapshot.
    if (!patched('send-during-snapshot')) await snapshot;

    for (;;) {
      await sendDueEmails(run, progress, snapshot);
      // Reset before the row is read: a poke in the meantime requests another look.
      poked = false;
      const { finished, pending, waitMs, next } = await quick.finishCampaign({ ...run, now: Date.now() });
      if (finished) return `sent to ${progress.totalRecipients}`;
      setCurrentDetails(
        next
          ? `${next.summary}${next.at === null ? '' : `, until ${new Date(next.at).toISOString()}`}`
          : `${pending} of ${progress.totalRecipients} wait for another attempt`,
      );
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof campaignSend>(run);
      if (next?.at === null) await condition(() => poked);
      else if (next) await condition(() => poked, Math.max(1, next.at - Date.now()), { summary: next.summary });
      else await condition(() => poked, waitMs);
    }
  } catch (error) {
    // The API has already changed the row. After a cancellation in the Web UI, this changes it.
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => settleCancelled(run));
    throw error;
  }
}

async function takeSnapshot(run: CampaignSendInput, progress: Progress): Promise<void> {
  let page: { done: boolean; totalRecipients: number };
  do {
    page = await snapshots.snapshotCampaign(run);
    progress.totalRecipients = page.totalRecipients;
  } while (!page.done);
}

/** Waits until the outcome of every email in flight is known and counted. */
async function settleCancelled(run: CampaignSendInput): Promise<void> {
  while (!(await quick.cancelCampaign(run))) await sleep('1s');
}
