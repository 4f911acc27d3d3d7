/** Activities of `campaignSend`: thin calls into the domain. */
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { claimCampaign, takeTokens } from '../src/db/sql/delivery.js';
import type { CampaignRun } from '../src/domain/campaigns/intents.js';
import { begin, cancel, finish, snapshot, type FinishResult, type SnapshotProgress } from '../src/domain/campaigns/run.js';
import { pump, type PumpResult, type PumpTools } from '../src/domain/emails/pump.js';

export type CampaignActivities = ReturnType<typeof createCampaignActivities>;

/** Emails of one activity: at 3 history events each, a million recipients are a few thousand events. */
const BATCH = 2000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export interface CampaignBatch extends Pick<PumpResult, 'sent' | 'failed' | 'retried' | 'pausedMs'> {
  reason: PumpResult['reason'];
}

/**
 * @param stopping aborts when the worker stops: a batch then ends early, with what it has
 */
export function createCampaignActivities(ctx: Context, tools: PumpTools, stopping: AbortSignal) {
  const perSecond = ctx.config.SEND_RATE_PER_SECOND;

  return {
    beginCampaign: (run: CampaignRun): Promise<boolean> => begin(ctx, run),
    snapshotCampaign: (run: CampaignRun): Promise<SnapshotProgress> => snapshot(ctx, run),
    finishCampaign: (run: CampaignRun): Promise<FinishResult> => finish(ctx, run),
    cancelCampaign: (run: CampaignRun): Promise<void> => cancel(ctx, run),

    async sendCampaignBatch({ campaignId, projectId }: CampaignRun): Promise<CampaignBatch> {
      const limit = perSecond > 0 ? await takeTokens(ctx.pool, projectId, BATCH, perSecond) : BATCH;
      // The workflow sleeps, not the activity: a throttled campaign holds no slot.
      if (limit === 0) return { sent: 0, failed: 0, retried: 0, pausedMs: Math.max(100, Math.ceil(1000 / perSecond)), reason: 'limit' };
      let after = FIRST_ID;
      let done = 0;
      const beat = setInterval(() => heartbeat({ done }), activityInfo().heartbeatTimeoutMs ? 2000 : 60_000);
      try {
        const result = await pump(tools, {
          limit,
          // A fifth of the connections is kept for transactional mail.
          reserve: Math.ceil(ctx.config.SMTP_CONNECTIONS / 5),
          signal: AbortSignal.any([cancellationSignal(), stopping]),
          claim: async (count, results) => {
            const emails = await claimCampaign(ctx.pool, { workerId: tools.workerId, limit: count, results, campaignId, after });
            // Two claims may be under way: the later one's answer can come first.
            const last = emails.at(-1)?.id ?? after;
            if (last > after) after = last;
            return emails;
          },
          onSettled: (results) => {
            done += results.length;
          },
        });
        // The worker stops: another one goes on.
        return { sent: result.sent, failed: result.failed, retried: result.retried, reason: result.reason, pausedMs: result.reason === 'aborted' ? 200 : result.pausedMs };
      } finally {
        clearInterval(beat);
      }
    },
  };
}
