/** Activities of `campaignSend`: thin calls into the domain. */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import type { CampaignRun } from '../src/domain/campaigns/intents.js';
import { begin, cancel, cancelRest, finish, snapshot, type FinishResult } from '../src/domain/campaigns/run.js';
import type { SnapshotProgress } from '../src/domain/campaigns/sql/snapshot.js';
import type { Delivery } from '../src/domain/delivery/delivery.js';
import type { LaneResult } from '../src/domain/delivery/send-campaign.js';

export type CampaignActivities = ReturnType<typeof createCampaignActivities>;

const HEARTBEAT_INTERVAL_MS = 2000;
const BUSY_PAUSE_MS = 5000;
/** After an abort, this worker is stopping, and another worker continues. */
const ABORTED_PAUSE_MS = 200;

export interface CampaignBatch extends Omit<LaneResult, 'reason'> {
  /** `busy`: this worker is already sending the campaign. */
  reason: LaneResult['reason'] | 'busy';
  pausedMs: number;
}

/** @param stopping aborts when the worker stops; sending then ends early */
export function createCampaignActivities(ctx: Context, delivery: Delivery, stopping: AbortSignal) {
  const sending = new Set<string>();

  /** Lets the server detect within seconds that the worker has stopped. */
  const withHeartbeat = async <T>(work: () => Promise<T>): Promise<T> => {
    const beat = setInterval(() => heartbeat(), HEARTBEAT_INTERVAL_MS);
    try {
      return await work();
    } finally {
      clearInterval(beat);
    }
  };

  return {
    beginCampaign: (run: CampaignRun): Promise<boolean> => begin(ctx, run),
    snapshotCampaign: (run: CampaignRun): Promise<SnapshotProgress> => withHeartbeat(() => snapshot(ctx, run)),
    finishCampaign: (run: CampaignRun & { now?: number }): Promise<FinishResult> => finish(ctx, run),
    cancelCampaign: (run: CampaignRun): Promise<boolean> => cancel(ctx, run),

    /** Sends the campaign from this worker for at most half a minute. `now` is the time of the workflow. */
    async sendCampaignBatch({ now, ...run }: CampaignRun & { now?: number }): Promise<CampaignBatch> {
      if (sending.has(run.campaignId))
        return { sent: 0, failed: 0, retried: 0, pausedMs: BUSY_PAUSE_MS, reason: 'busy' };
      sending.add(run.campaignId);
      try {
        const signal = AbortSignal.any([cancellationSignal(), stopping]);
        const result = await withHeartbeat(() => delivery.sendCampaign(run, signal, new Date(now ?? Date.now())));
        // This worker has released its chunks. If the workflow was terminated, nothing else cancels their emails.
        if (result.reason === 'inactive') await cancelRest(ctx, run);
        return { ...result, pausedMs: result.reason === 'aborted' ? ABORTED_PAUSE_MS : 0 };
      } finally {
        sending.delete(run.campaignId);
      }
    },
  };
}
