/** Activities of `campaignSend`: thin calls into the domain. */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { claimCampaign, takeTokens } from '../src/domain/emails/sql/delivery.js';
import type { CampaignRun } from '../src/domain/campaigns/intents.js';
import {
  begin,
  cancel,
  finish,
  snapshot,
  type FinishResult,
  type SnapshotProgress,
} from '../src/domain/campaigns/run.js';
import { pump, type PumpResult, type PumpTools } from '../src/domain/emails/pump.js';

export type CampaignActivities = ReturnType<typeof createCampaignActivities>;

/** Emails per activity. At 3 history events each, a million recipients take a few thousand events. */
const EMAIL_BATCH_SIZE = 2000;
const HEARTBEAT_INTERVAL_MS = 2000;
const BUSY_PAUSE_MS = 5000;
/** Sorts before every id. */
const MIN_ID = '00000000-0000-0000-0000-000000000000';

export interface CampaignBatch extends Pick<PumpResult, 'sent' | 'failed' | 'retried' | 'pausedMs'> {
  /**
   * `busy`: this worker is already sending for the campaign. A second batch would only make both claims smaller.
   */
  reason: PumpResult['reason'] | 'busy';
}

/** @param stopping aborts when the worker stops; a batch then ends early */
export function createCampaignActivities(ctx: Context, tools: PumpTools, stopping: AbortSignal) {
  const perSecond = ctx.config.SEND_RATE_PER_SECOND;
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

  const sendBatch = async (campaignId: string, limit: number): Promise<CampaignBatch> => {
    let after = MIN_ID;
    const result = await pump(tools, {
      limit,
      // Keeps a tenth of the connections for transactional email.
      reserve: Math.floor(ctx.config.SMTP_CONNECTIONS / 10),
      signal: AbortSignal.any([cancellationSignal(), stopping]),
      claim: async (count, results) => {
        const emails = await claimCampaign(ctx.pool, {
          workerId: tools.workerId,
          limit: count,
          results,
          campaignId,
          after,
        });
        after = emails.at(-1)?.id ?? after;
        return emails;
      },
    });
    const { sent, failed, retried, reason, pausedMs } = result;
    // After an abort, this worker is stopping, and another worker continues.
    return { sent, failed, retried, reason, pausedMs: reason === 'aborted' ? 200 : pausedMs };
  };

  return {
    beginCampaign: (run: CampaignRun): Promise<boolean> => begin(ctx, run),
    snapshotCampaign: (run: CampaignRun): Promise<SnapshotProgress> => withHeartbeat(() => snapshot(ctx, run)),
    finishCampaign: (run: CampaignRun): Promise<FinishResult> => finish(ctx, run),
    cancelCampaign: (run: CampaignRun): Promise<boolean> => cancel(ctx, run),

    async sendCampaignBatch({ campaignId, projectId }: CampaignRun): Promise<CampaignBatch> {
      const nothing = { sent: 0, failed: 0, retried: 0 };
      if (sending.has(campaignId)) return { ...nothing, pausedMs: BUSY_PAUSE_MS, reason: 'busy' };
      sending.add(campaignId);
      try {
        return await withHeartbeat(async () => {
          const limit =
            perSecond > 0 ? await takeTokens(ctx.pool, projectId, EMAIL_BATCH_SIZE, perSecond) : EMAIL_BATCH_SIZE;
          // The workflow sleeps instead of the activity, so a throttled campaign occupies no activity slot.
          if (limit === 0) return { ...nothing, pausedMs: Math.max(100, Math.ceil(1000 / perSecond)), reason: 'limit' };
          return await sendBatch(campaignId, limit);
        });
      } finally {
        sending.delete(campaignId);
      }
    },
  };
}
