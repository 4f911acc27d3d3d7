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

/** Emails of one activity: at 3 history events each, a million recipients are a few thousand events. */
const BATCH = 2000;
const HEARTBEAT = 2000;
const BUSY_PAUSE = 5000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export interface CampaignBatch extends Pick<PumpResult, 'sent' | 'failed' | 'retried' | 'pausedMs'> {
  /**
   * `busy`: this worker is sending for the campaign already; two batches side by side would only make each other's
   * statements smaller.
   */
  reason: PumpResult['reason'] | 'busy';
}

/**
 * @param stopping aborts when the worker stops: a batch then ends early, with what it has
 */
export function createCampaignActivities(ctx: Context, tools: PumpTools, stopping: AbortSignal) {
  const perSecond = ctx.config.SEND_RATE_PER_SECOND;
  const sending = new Set<string>();

  /** The server hears of a worker that dies within seconds. */
  const beating = async <T>(work: () => Promise<T>): Promise<T> => {
    const beat = setInterval(() => heartbeat(), HEARTBEAT);
    try {
      return await work();
    } finally {
      clearInterval(beat);
    }
  };

  const sendBatch = async (campaignId: string, limit: number): Promise<CampaignBatch> => {
    let after = FIRST_ID;
    const result = await pump(tools, {
      limit,
      // A tenth of the connections is kept for transactional mail.
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
    // Aborted because the worker stops: another one goes on.
    return { sent, failed, retried, reason, pausedMs: reason === 'aborted' ? 200 : pausedMs };
  };

  return {
    beginCampaign: (run: CampaignRun): Promise<boolean> => begin(ctx, run),
    snapshotCampaign: (run: CampaignRun): Promise<SnapshotProgress> => beating(() => snapshot(ctx, run)),
    finishCampaign: (run: CampaignRun): Promise<FinishResult> => finish(ctx, run),
    cancelCampaign: (run: CampaignRun): Promise<boolean> => cancel(ctx, run),

    async sendCampaignBatch({ campaignId, projectId }: CampaignRun): Promise<CampaignBatch> {
      const nothing = { sent: 0, failed: 0, retried: 0 };
      if (sending.has(campaignId)) return { ...nothing, pausedMs: BUSY_PAUSE, reason: 'busy' };
      sending.add(campaignId);
      try {
        return await beating(async () => {
          const limit = perSecond > 0 ? await takeTokens(ctx.pool, projectId, BATCH, perSecond) : BATCH;
          // The workflow sleeps, not the activity: a throttled campaign holds no slot.
          if (limit === 0) return { ...nothing, pausedMs: Math.max(100, Math.ceil(1000 / perSecond)), reason: 'limit' };
          return await sendBatch(campaignId, limit);
        });
      } finally {
        sending.delete(campaignId);
      }
    },
  };
}
