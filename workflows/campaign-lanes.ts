/** The lanes of a campaign: the activities that send its due emails, so that several workers can share a large campaign. */
import { condition, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaign.js';
import type { CampaignSendInput } from './campaign.js';

const RECIPIENTS_PER_LANE = 20_000;
const MAX_LANES = 4;
const batches = proxyActivities<CampaignActivities>({
  startToCloseTimeout: '10m',
  // Through heartbeats, the server detects a worker that has stopped, and a lane learns about a cancellation.
  heartbeatTimeout: '6s',
  // A lane that repeatedly lost its worker counts these as attempts, and must still continue within seconds.
  retry: { initialInterval: '500ms', maximumInterval: '1s' },
  summary: 'Emails handed over',
});

export interface Progress {
  handedOver: number;
  totalRecipients: number;
}

/** Sends the due emails. One lane sends during the snapshot, and the others start after it. */
export async function sendDueEmails(
  run: CampaignSendInput,
  progress: Progress,
  snapshot: Promise<void>,
): Promise<void> {
  let drained = false;
  const lane = async (): Promise<void> => {
    for (;;) {
      const batch = await batches.sendCampaignBatch({ ...run, now: Date.now() });
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
