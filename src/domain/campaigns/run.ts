/**
 * The run of a campaign: begin, snapshot, finish, cancel. Each step is a guarded, repeatable transaction that the
 * Temporal workflow `campaignSend` calls.
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

/** The number of contacts per page of the snapshot. A page takes about a second. */
const SNAPSHOT_PAGE_SIZE = 10_000;

/**
 * Moves the campaign to SENDING, unless it already is, and stores its content for the emails.
 *
 * @returns false if there is nothing to send: the campaign was deleted, canceled, finished, or rescheduled
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
 * Queues the emails of the next page of the audience as of the start of sending, in one transaction. A repeated call
 * continues after the last committed page.
 *
 * If the audience exceeds the project's limit, the campaign is canceled. No email was handed over then, because handing
 * over begins after the snapshot.
 */
export async function snapshot(ctx: Context, run: CampaignRun): Promise<SnapshotProgress> {
  try {
    return await takeSnapshot(ctx, run);
  } catch (error) {
    if (isOverLimit(error)) {
      // We cannot choose recipients to drop, so the campaign is canceled. Canceled emails do not count as usage.
      ctx.log.warn(
        { campaignId: run.campaignId, projectId: run.projectId },
        "A campaign reaches more than the project's limit leaves; it is cancelled, and nothing of it is sent",
      );
    } else if (error instanceof ApiError) {
      // A deleted segment does not come back, so the campaign ends without sending.
      ctx.log.error(
        { err: error, campaignId: run.campaignId },
        'Canceled a campaign because its audience cannot be read',
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
    // Relative periods such as "within 7 days" end when sending began, on every page.
    const audience = await campaignAudience(tx, { ...campaign, projectId: run.projectId }, campaign.startedAt);
    return snapshotPage(tx, run, campaign, audience, SNAPSHOT_PAGE_SIZE);
  });
}

export interface FinishResult extends OpenEmails {
  finished: boolean;
  /** How long to wait before the next call, in milliseconds. */
  waitMs: number;
}

const LONGEST_WAIT = 60_000;
/** The number of figures to fold at the end of a campaign, so that its counters do not wait for housekeeping. */
const MAX_FIGURES_FOLDED_AT_END = 5000;

/**
 * Moves the campaign to SENT if every recipient is final, otherwise returns when the next email is due. Cancels a
 * campaign of a disabled project.
 */
export async function finish(ctx: Context, run: CampaignRun): Promise<FinishResult> {
  const open = await countOpenEmails(ctx.pool, run.campaignId);
  if (open.pending === 0 && open.sending === 0) {
    await transaction(ctx.pool, async (tx) => {
      if (await markCampaignSent(tx, run)) await storeRest(tx, run.campaignId);
    });
    await foldFigures(ctx.pool, MAX_FIGURES_FOLDED_AT_END);
    return { ...open, finished: true, waitMs: 0 };
  }
  if (open.pending > 0 && (await isProjectDisabled(ctx.pool, run.projectId))) {
    // Emails of a disabled project are not claimed. The process that disabled the project may not have reached this
    // campaign yet.
    await cancel(ctx, run);
    return { ...open, finished: false, waitMs: 200 };
  }
  // Rows in SENDING belong to another worker, or to a dead worker and will be settled soon.
  const due = open.nextAttemptAt ? Math.max(0, open.nextAttemptAt.getTime() - Date.now()) : 1000;
  return { ...open, finished: false, waitMs: Math.min(Math.max(due, 200), LONGEST_WAIT) };
}

/**
 * Ends a canceled campaign: cancels its pending emails. A cancellation in the Temporal Web UI also ends up here, before
 * the row's status has changed.
 *
 * @returns whether its counters are final; false while its last emails are in flight, and the call must be repeated
 */
export async function cancel(ctx: Context, run: CampaignRun): Promise<boolean> {
  await markCampaignCancelled(ctx.pool, run);
  if (!(await isCampaignCancelled(ctx.pool, run.campaignId))) return true;
  while ((await cancelPendingEmails(ctx.pool, run.campaignId, SNAPSHOT_PAGE_SIZE)) > 0);
  // Read before the counters, so that emails that are settled in between are counted.
  const { pending, sending } = await countOpenEmails(ctx.pool, run.campaignId);
  await storeRest(ctx.pool, run.campaignId);
  await foldFigures(ctx.pool, MAX_FIGURES_FOLDED_AT_END);
  return pending === 0 && sending === 0;
}
