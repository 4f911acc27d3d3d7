/**
 * The run of a campaign: begin, snapshot, finish, cancel. Each step is a guarded, repeatable transaction that the
 * Temporal workflow `campaignSend` calls.
 */
import type { Context } from '../../context.js';
import { transaction, type Queryable } from '../../db/pool.js';
import {
  beginCampaign,
  isCampaignCancelled,
  lockRunningCampaign,
  markCampaignCancelled,
  markCampaignSent,
  setMessage,
  type BegunCampaign,
  type RunningCampaign,
} from './sql/run.js';
import { isOverLimit } from '../billing/sql/billing.js';
import { storeRest } from './sql/campaigns.js';
import { queueFailedPage } from './sql/retry.js';
import { insertVariants, selectVariants, type VariantRow } from './sql/variants.js';
import { snapshotPage, snapshotWavePage, type SnapshotProgress } from './sql/snapshot.js';
import { describeWave } from './sql/waves.js';
import { adoptEmails, cancelFreeEmails, deleteClosedChunks, readOpenWork } from '../delivery/sql/campaigns.js';
import { nextDue } from '../delivery/sql/waves.js';
import { localTime } from '../timezone.js';
import { chunkSizeFor } from '../delivery/states.js';
import { insertMessage } from '../emails/sql/emails.js';
import { isProjectDisabled } from '../projects/sql/stop.js';
import { foldFigures } from '../analytics/sql/figures.js';
import { prepareWideQuery } from '../../db/wide-query.js';
import { ApiError } from '../../errors.js';
import { newId } from '../../ids.js';
import { campaignAudience } from './audience.js';
import type { CampaignRun } from './intents.js';
import { advanceTest } from './decision.js';
import { withVariant, type Variant } from './variants.js';
import { readDues, type Dues } from './waves.js';

/**
 * The number of contacts per page of the snapshot: one chunk. Sending begins with the first page. Other transactions wait for
 * the page's commit, which writes 1 MB to the log.
 */
export const SNAPSHOT_PAGE_SIZE = 1000;
const MAX_PAGES_PER_CALL = 10;
/** Chunks to cancel per statement: 10,000 emails. */
const MAX_CHUNKS_CANCELLED_PER_CALL = 10;
/** Emails without a chunk to put into one per statement. */
const MAX_EMAILS_ADOPTED_PER_CALL = 1000;

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
      const { variants, ...content } = campaign;
      await insertMessage(tx, { ...content, id, projectId: run.projectId });
      await setMessage(tx, run, id);
      if (variants) await insertVariantMessages(tx, run, content, variants);
    }
    return true;
  });
}

async function insertVariantMessages(
  tx: Queryable,
  run: CampaignRun,
  content: Omit<BegunCampaign, 'variants'>,
  variants: readonly Variant[],
): Promise<void> {
  const rows: VariantRow[] = [];
  for (const variant of variants) {
    const messageId = newId();
    await insertMessage(tx, { ...withVariant(content, variant), id: messageId, projectId: run.projectId });
    rows.push({ id: variant.id, messageId, weight: variant.weight });
  }
  await insertVariants(tx, run, rows);
}

/**
 * Queues the emails of the next pages of the audience as of the start of sending, each in one transaction. A repeated
 * call continues after the last committed page. Workers send the emails of a page as soon as it is committed.
 *
 * If the audience exceeds the project's limit, the campaign is canceled. No email was handed over then, because the
 * chunks of a project with a limit are leased only after the last page.
 */
export async function snapshot(ctx: Context, run: CampaignRun): Promise<SnapshotProgress> {
  try {
    // They do not change while a campaign is sent.
    let dues: Promise<Dues | null> | undefined;
    const readOnce: DuesOf = (tx, campaign) => (dues ??= readDues(tx, campaign, campaign.startedAt));
    for (let pages = 1; ; pages++) {
      const progress = await queuePage(ctx, run, readOnce);
      if (progress.done || pages === MAX_PAGES_PER_CALL) return progress;
    }
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

/** Returns when the emails of a campaign are due, as readDues does. */
type DuesOf = (tx: Queryable, campaign: RunningCampaign) => Promise<Dues | null>;

function queuePage(ctx: Context, run: CampaignRun, duesOf: DuesOf): Promise<SnapshotProgress> {
  return transaction(ctx.pool, async (tx) => {
    const campaign = await lockRunningCampaign(tx, run);
    if (!campaign) return { done: true, totalRecipients: 0 };
    if (campaign.snapshotDone) return { done: true, totalRecipients: campaign.totalRecipients };
    const chunkSize = chunkSizeFor(ctx.config.SEND_RATE_PER_SECOND);
    if (campaign.retryCursor !== null)
      return queueFailedPage(tx, run, {
        after: campaign.retryCursor,
        includesUnknown: campaign.resendsUnknown,
        limit: SNAPSHOT_PAGE_SIZE,
        chunkSize,
      });
    const waves = await duesOf(tx, campaign);
    await prepareWideQuery(tx, { inIndexOrder: true });
    // Relative periods such as "within 7 days" end when sending began, on every page.
    const audience = await campaignAudience(tx, { ...campaign, projectId: run.projectId }, { now: campaign.startedAt });
    const variants = await selectVariants(tx, run.campaignId);
    const split = variants.length > 0 ? { variants, share: campaign.test?.share ?? 100 } : null;
    if (waves || split)
      return snapshotWavePage(tx, run, campaign, audience, {
        ...(waves ?? { dues: [], fallback: { zone: campaign.timezone, due: campaign.startedAt } }),
        isTimed: waves !== null,
        split,
        limit: SNAPSHOT_PAGE_SIZE,
      });
    return snapshotPage(tx, run, campaign, audience, {
      limit: SNAPSHOT_PAGE_SIZE,
      chunkSize,
    });
  });
}

export interface FinishResult {
  finished: boolean;
  /** Emails without a recorded result. */
  pending: number;
  /** How long to wait before the next call, in milliseconds. */
  waitMs: number;
  /** What happens next, if nothing is to do before it: the next wave, or the decision about a test. */
  next?: {
    /** In milliseconds since 1970; null: when the workflow is poked. */
    at: number | null;
    /** `wave 7 of 31: 09:00 Europe/Berlin, 41203`, or `test 2 of 3 h: a 4.1%, b 5.6%` */
    summary: string;
  };
}

const MAX_WAIT_MS = 60_000;
const MIN_WAIT_MS = 200;
const HELD_WAIT_MS = 1000;
/** The number of figures to fold at the end of a campaign, so that its counters do not wait for housekeeping. */
const MAX_FIGURES_FOLDED_AT_END = 5000;

/**
 * Moves the campaign to SENT if every recipient is final, otherwise returns when the next email is due. Cancels a
 * campaign of a disabled project.
 *
 * @param run.now the time of the Temporal workflow
 */
export async function finish(
  ctx: Context,
  { now = Date.now(), ...run }: CampaignRun & { now?: number },
): Promise<FinishResult> {
  const work = await readOpenWork(ctx.pool, run.campaignId);
  const hasNoChunk = work.pending === 0 && !work.isHeld;
  const adopted = hasNoChunk ? await adoptEmails(ctx.pool, run.campaignId, MAX_EMAILS_ADOPTED_PER_CALL) : 0;
  const due = hasNoChunk && adopted === 0 ? await nextDue(ctx.pool, run.campaignId) : null;
  if (hasNoChunk && adopted === 0 && due === null) {
    await transaction(ctx.pool, async (tx) => {
      if (!(await markCampaignSent(tx, run))) return;
      await storeRest(tx, run.campaignId);
      await deleteClosedChunks(tx, run.campaignId);
    });
    await foldFigures(ctx.pool, MAX_FIGURES_FOLDED_AT_END);
    return { finished: true, pending: 0, waitMs: 0 };
  }
  const pending = work.pending + adopted;
  if (await isProjectDisabled(ctx.pool, run.projectId)) {
    // Emails of a disabled project are not sent. The process that disabled the project may not have reached this
    // campaign yet.
    await cancel(ctx, run);
    return { finished: false, pending, waitMs: MIN_WAIT_MS };
  }
  if (due === 'held') {
    const { isDecided, at, summary } = await advanceTest(ctx, run, new Date(now));
    return { finished: false, pending, waitMs: MIN_WAIT_MS, ...(!isDecided && { next: { at, summary } }) };
  }
  if (due) return { finished: false, pending, waitMs: MIN_WAIT_MS, next: await nextWave(ctx, run, due) };
  // A chunk that another worker holds ends soon, or its lease expires.
  const { nextRetryAt, isHeld } = work;
  const dueMs = nextRetryAt && !isHeld ? nextRetryAt.getTime() - Date.now() : adopted > 0 ? 0 : HELD_WAIT_MS;
  return { finished: false, pending, waitMs: Math.min(Math.max(dueMs, MIN_WAIT_MS), MAX_WAIT_MS) };
}

async function nextWave(ctx: Context, { campaignId }: CampaignRun, due: Date): Promise<FinishResult['next']> {
  const wave = await describeWave(ctx.pool, campaignId, due);
  const summary = wave
    ? `wave ${wave.number} of ${wave.waves}: ${localTime(due, wave.zone)} ${wave.zone}, ${wave.recipients}`
    : `emails that are due at ${due.toISOString()}`;
  return { at: due.getTime(), summary };
}

/**
 * Ends a canceled campaign: cancels the emails that no worker holds. A cancellation in the Temporal Web UI also ends up
 * here, before the row's status has changed.
 *
 * @returns whether its counters are final; false while its last emails are in flight, and the call must be repeated
 */
export async function cancel(ctx: Context, run: CampaignRun): Promise<boolean> {
  await markCampaignCancelled(ctx.pool, run);
  return cancelRest(ctx, run);
}

/** Cancels the emails of a canceled campaign that no worker holds, and updates its counters. Returns as `cancel`. */
export async function cancelRest(ctx: Context, run: CampaignRun): Promise<boolean> {
  if (!(await isCampaignCancelled(ctx.pool, run.campaignId))) return true;
  ctx.wake('campaigns');
  while (await cancelFreeEmails(ctx.pool, run.campaignId, MAX_CHUNKS_CANCELLED_PER_CALL));
  // Read before the counters, so that emails that are settled in between are counted.
  const { pending, isHeld } = await readOpenWork(ctx.pool, run.campaignId);
  await storeRest(ctx.pool, run.campaignId);
  await foldFigures(ctx.pool, MAX_FIGURES_FOLDED_AT_END);
  const isFinal = pending === 0 && !isHeld;
  if (isFinal) {
    await deleteClosedChunks(ctx.pool, run.campaignId);
  }
  return isFinal;
}
