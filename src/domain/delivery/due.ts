/** Moves the due emails of a campaign to free chunks: retries, the emails of a wave, and the rest after a test. */
import type { Queryable } from '../../db/pool.js';
import type { Log } from '../../log.js';
import { RECIPIENT, type SendWindow } from '../send-window.js';
import { knownTimezones } from '../timezone.js';
import { gatherDueRetries, type SendingCampaign } from './sql/campaigns.js';
import {
  failLate,
  releaseRest,
  scheduleRetries,
  selectOpenings,
  takeDue,
  takeOpen,
  type Opening,
  type Openings,
} from './sql/waves.js';

/** The due emails of a campaign, for one call of `sendCampaign`. */
export interface DueEmails {
  /** Moves due emails to a free chunk, or makes the rest after a test due. @returns whether there were any */
  takeNext: (campaign: SendingCampaign) => Promise<boolean>;
}

export interface DueOptions {
  pool: Queryable;
  log: Log;
  campaignId: string;
  /** Emails per chunk. */
  chunkSize: number;
  /** Scheduled emails are due until this moment, from which on time passes: that of the Temporal workflow. */
  now: Date;
}

const HOUR_MS = 3_600_000;
/** A send window that has closed is noticed after at most this time. */
const OPENINGS_KEPT_MS = 1000;

export function openDueEmails({ pool, log, campaignId, chunkSize, now: begin }: DueOptions): DueEmails {
  const openedAt = performance.now();
  let openings: Openings | null = null;
  let openingsReadAt = 0;

  /** Returns when the send window is open next. */
  const openingsAt = async (campaign: SendingCampaign, sendWindow: SendWindow, now: Date): Promise<Openings> => {
    if (openings === null || now.getTime() - openingsReadAt >= OPENINGS_KEPT_MS) {
      openings = await readOpenings(pool, sendWindow, campaign.fallbackTimezone, now);
      openingsReadAt = now.getTime();
    }
    return openings;
  };

  const failAllLate = async (until: Date): Promise<void> => {
    let failed: number;
    do {
      failed = await failLate(pool, { campaignId, until });
      if (failed > 0) log.warn({ campaignId, failed }, 'Scheduled emails of a campaign were too late');
    } while (failed > 0);
  };

  const takeDueAt = async (campaign: SendingCampaign, now: Date): Promise<boolean> => {
    const { sendWindow, hasWaves, maxLateness } = campaign;
    const due = { campaignId, until: now };
    if (sendWindow) {
      const hasRetries = await scheduleRetries(pool, due);
      if (!hasRetries && !hasWaves) return false;
      return takeOpen(pool, due, chunkSize, await openingsAt(campaign, sendWindow, now));
    }
    if (await gatherDueRetries(pool, campaignId)) return true;
    if (!hasWaves) return false;
    if (maxLateness !== null) await failAllLate(new Date(now.getTime() - maxLateness * HOUR_MS));
    return takeDue(pool, due, chunkSize);
  };

  return {
    async takeNext(campaign) {
      const now = new Date(begin.getTime() + performance.now() - openedAt);
      if (await takeDueAt(campaign, now)) return true;
      const { winnerMessageId } = campaign;
      return winnerMessageId !== null && (await releaseRest(pool, campaignId, { messageId: winnerMessageId, now })) > 0;
    },
  };
}

/** Returns when a window is open from `now` on. */
async function readOpenings(
  db: Queryable,
  sendWindow: SendWindow,
  fallbackTimezone: string,
  now: Date,
): Promise<Openings> {
  const isForRecipients = sendWindow.timezone === RECIPIENT;
  const zone = isForRecipients ? fallbackTimezone : sendWindow.timezone;
  const others = isForRecipients ? await knownTimezones(db) : [];
  const [fallback = { zone, at: now }, ...ofZones]: Opening[] = await selectOpenings(
    db,
    sendWindow,
    [zone, ...others],
    now,
  );
  return { fallback, ofZones };
}
