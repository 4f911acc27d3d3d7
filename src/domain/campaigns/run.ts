/**
 * A campaign's run: begin, snapshot of the audience, finish, cancel. Each step is a guarded transaction that can be
 * repeated; the Temporal workflow `campaignSend` calls them in turn.
 */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import {
  beginCampaign,
  countOpenEmails,
  isCampaignCancelled,
  lockRunningCampaign,
  markCampaignCancelled,
  markCampaignSent,
  setMessage,
  snapshotPage,
  type OpenEmails,
} from './sql/run.js';
import { isOverLimit } from '../billing/sql/billing.js';
import { cancelPendingEmails, storeRest } from './sql/campaigns.js';
import { insertMessage } from '../emails/sql/emails.js';
import { isProjectDisabled } from '../projects/sql/stop.js';
import { foldFigures } from '../analytics/sql/figures.js';
import { prepareWideQuery } from '../../db/wide-query.js';
import { ApiError } from '../../errors.js';
import { newId } from '../../ids.js';
import { campaignAudience } from './audience.js';
import type { CampaignRun } from './intents.js';

/** Contacts of one page of the snapshot: about a second's work. */
const SNAPSHOT_PAGE = 10_000;

/**
 * Moves the campaign to SENDING, unless it already is, and keeps its content for the emails.
 *
 * @returns false when there is nothing to run: the campaign is gone, cancelled, finished, or this attempt was
 * superseded
 */
export async function begin(ctx: Context, run: CampaignRun): Promise<boolean> {
  return transaction(ctx.pool, async (tx) => {
    const campaign = await beginCampaign(tx, run);
    if (!campaign) return false;
    if (campaign.messageId === null) {
      const id = newId();
      await insertMessage(tx, { ...campaign, id, projectId: run.projectId });
      await setMessage(tx, run, id);
    }
    return true;
  });
}

export interface SnapshotProgress {
  done: boolean;
  totalRecipients: number;
}

/**
 * Queues the emails of the next page of the audience, as it was when sending began. One transaction: a repeat goes on
 * where the last one committed.
 *
 * A campaign that reaches more than the project's limit leaves is cancelled: no email is handed over before the
 * snapshot is complete, so nobody gets it.
 */
export async function snapshot(ctx: Context, run: CampaignRun): Promise<SnapshotProgress> {
  try {
    return await takeSnapshot(ctx, run);
  } catch (error) {
    if (isOverLimit(error)) {
      // Whom to leave out is nobody's choice but the sender's. What was queued is cancelled, and given back to the
      // limit.
      ctx.log.warn(
        { campaignId: run.campaignId, projectId: run.projectId },
        "A campaign reaches more than the project's limit leaves; it is cancelled, and nothing of it is sent",
      );
    } else if (error instanceof ApiError) {
      // An audience that no longer exists can't come back by itself: sending to nobody is the safe end.
      ctx.log.error(
        { err: error, campaignId: run.campaignId },
        'The audience of a campaign can not be read; the campaign is cancelled',
      );
    } else {
      throw error;
    }
    await cancel(ctx, run);
    return { done: true, totalRecipients: 0 };
  }
}

function takeSnapshot(ctx: Context, run: CampaignRun): Promise<SnapshotProgress> {
  return transaction(ctx.pool, async (tx) => {
    const campaign = await lockRunningCampaign(tx, run);
    if (!campaign) return { done: true, totalRecipients: 0 };
    if (campaign.snapshotDone) return { done: true, totalRecipients: campaign.totalRecipients };
    await prepareWideQuery(tx);
    // Periods such as "within 7 days" end when sending began, whichever page this is.
    const audience = await campaignAudience(tx, { ...campaign, projectId: run.projectId }, campaign.startedAt);
    return snapshotPage(tx, run, campaign, audience, SNAPSHOT_PAGE);
  });
}

export interface FinishResult extends OpenEmails {
  finished: boolean;
  /** How long to wait before it makes sense to look again, in milliseconds. */
  waitMs: number;
}

const LONGEST_WAIT = 60_000;
/**
 * Figures that the end of a campaign puts onto the rows, so that they hold its counters without the next round of
 * housekeeping.
 */
const FOLDED_AT_END = 5000;

/**
 * Moves the campaign to SENT when every recipient is final; else says when the next email is due. That of a disabled
 * project is cancelled.
 */
export async function finish(ctx: Context, run: CampaignRun): Promise<FinishResult> {
  const open = await countOpenEmails(ctx.pool, run.campaignId);
  if (open.pending === 0 && open.sending === 0) {
    await transaction(ctx.pool, async (tx) => {
      if (await markCampaignSent(tx, run)) await storeRest(tx, run.campaignId);
    });
    await foldFigures(ctx.pool, FOLDED_AT_END);
    return { ...open, finished: true, waitMs: 0 };
  }
  if (open.pending > 0 && (await isProjectDisabled(ctx.pool, run.projectId))) {
    // Nothing of it is claimed any more, and whoever disabled the project may not have come as far as this campaign, or
    // never look at it.
    await cancel(ctx, run);
    return { ...open, finished: false, waitMs: 200 };
  }
  // Rows that are SENDING are another worker's, or a dead one's that is soon settled.
  const due = open.nextAttemptAt ? Math.max(0, open.nextAttemptAt.getTime() - Date.now()) : 1000;
  return { ...open, finished: false, waitMs: Math.min(Math.max(due, 200), LONGEST_WAIT) };
}

/**
 * Ends a cancelled campaign: what was not handed over never is. Also the way in for a cancellation in the Temporal Web
 * UI, where the row doesn't know of it yet.
 *
 * @returns whether its counters are final: false while the last emails are in the transport's hands, and it is worth
 * coming again
 */
export async function cancel(ctx: Context, run: CampaignRun): Promise<boolean> {
  await markCampaignCancelled(ctx.pool, run);
  if (!(await isCampaignCancelled(ctx.pool, run.campaignId))) return true;
  while ((await cancelPendingEmails(ctx.pool, run.campaignId, SNAPSHOT_PAGE)) > 0);
  // Asked before counting: what settles in between is counted.
  const { pending, sending } = await countOpenEmails(ctx.pool, run.campaignId);
  await storeRest(ctx.pool, run.campaignId);
  await foldFigures(ctx.pool, FOLDED_AT_END);
  return pending === 0 && sending === 0;
}
