/**
 * Retention: with RETENTION_DAYS, events and ended emails go when they are that old, and with them what only they
 * needed: hits of links, messages, attachments.
 *
 * Figures stay as they were: they are rolled up by day, and a campaign's are written onto its row before the first of
 * its emails goes. What runs keeps what it needs: emails that are waiting or under way, those of campaigns and
 * executions that have not ended, and the events since such an execution began.
 */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { storeRest } from '../campaigns/sql/campaigns.js';
import {
  campaignsToClose,
  closeCampaign,
  countAsExpired,
  deleteUnneededMessages,
  expireEmails,
  expireEvents,
  FIRST_ID,
  lockMessages,
  type RetentionPage,
  type RetentionStep,
} from './sql/retention.js';

const DAY = 24 * 3600 * 1000;
/** Rows of a transaction: a fraction of a second's work. */
const PAGE = 2000;
/** What a round spends on each kind at most; what is left is the next round's. */
const LONGEST = 15_000;

type Step = (tx: PoolClient, page: RetentionPage) => Promise<RetentionStep>;

const events: Step = async (tx, page) => {
  await countAsExpired(tx);
  return expireEvents(tx, page);
};

const emails: Step = async (tx, page) => {
  for (const id of await campaignsToClose(tx, page)) {
    await storeRest(tx, id);
    await closeCampaign(tx, id);
  }
  return expireEmails(tx, page);
};

const messages: Step = async (tx, page) => {
  const ids = await lockMessages(tx, page);
  return {
    deleted: await deleteUnneededMessages(tx, ids),
    upTo: ids.length === page.limit ? (ids.at(-1) ?? null) : null,
  };
};

/** Messages behind the emails that need them. */
const STEPS = { emails, events, messages };

/** Deletes what is older than RETENTION_DAYS, page by page, each a transaction of its own. Nothing when that is 0. */
export async function applyRetention({ pool, config, log }: Context): Promise<void> {
  if (config.RETENTION_DAYS === 0) return;
  const before = new Date(Date.now() - config.RETENTION_DAYS * DAY);
  for (const [what, step] of Object.entries(STEPS)) {
    const deadline = Date.now() + LONGEST;
    let deleted = 0;
    for (let after: string | null = FIRST_ID; after !== null && Date.now() < deadline;) {
      const page: RetentionPage = { before, after, limit: PAGE };
      const done: RetentionStep = await transaction(pool, (tx) => step(tx, page));
      deleted += done.deleted;
      after = done.upTo;
    }
    if (deleted > 0) log.info({ what, deleted }, 'Deleted what is older than the retention');
  }
}
