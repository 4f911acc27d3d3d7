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
import { poke } from './signals.js';

export interface CampaignSendInput {
  campaignId: string;
  projectId: string;
  attempt: number;
}

const RECIPIENTS_PER_LANE = 20_000;
const MAX_LANES = 4;
const retry = { initialInterval: '500ms', maximumInterval: '15s' } as const;
const quick = proxyLocalActivities<CampaignActivities>({ startToCloseTimeout: '30s', retry });
// Through heartbeats, the server detects a worker that has stopped, and an activity learns about a cancellation.
const snapshots = proxyActivities<CampaignActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Snapshot of the audience',
});
const batches = proxyActivities<CampaignActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '6s',
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

    const progress = { handedOver: 0, totalRecipients: 0 };
    const snapshot = takeSnapshot(run, progress);
    // A campaign that an earlier version started is sent after its snapshot.
    if (!patched('send-during-snapshot')) await snapshot;

    for (;;) {
      await sendDueEmails(run, progress, snapshot);
      const { finished, pending, waitMs } = await quick.finishCampaign(run);
      if (finished) return `sent to ${progress.totalRecipients}`;
      setCurrentDetails(`${pending} of ${progress.totalRecipients} wait for another attempt`);
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

interface Progress {
  handedOver: number;
  totalRecipients: number;
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

/**
 * Sends the due emails in parallel lanes, so that several workers can share one large campaign. One lane sends during
 * the snapshot, and the others start after it.
 */
async function sendDueEmails(run: CampaignSendInput, progress: Progress, snapshot: Promise<void>): Promise<void> {
  let drained = false;
  const lane = async (): Promise<void> => {
    for (;;) {
      const batch = await batches.sendCampaignBatch(run);
      progress.handedOver += batch.sent;
      setCurrentDetails(`sent ${progress.handedOver} of ${progress.totalRecipients}`);
      drained ||= batch.reason === 'drained' || batch.reason === 'inactive';
      // A lane whose worker is busy with this campaign retries later, and ends with the other lanes.
      if (!drained && batch.pausedMs > 0) await condition(() => drained, batch.pausedMs);
      if (drained || workflowInfo().continueAsNewSuggested) return;
    }
  };
  const startOthers = async (): Promise<void> => {
    await snapshot;
    const lanes = Math.min(MAX_LANES, Math.ceil(progress.totalRecipients / RECIPIENTS_PER_LANE));
    await Promise.all(Array.from({ length: Math.max(0, lanes - 1) }, lane));
  };
  await Promise.all([lane(), startOthers()]);
}
