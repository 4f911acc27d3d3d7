/**
 * Retention: deletes events and ended emails that are older than RETENTION_DAYS, and the hits, messages, and
 * attachments that only they needed.
 *
 * Figures do not change: they are rolled up by day, and a campaign's figures are written to its row before its first
 * email is deleted. Retention keeps pending emails, emails of active campaigns and executions, and the events since an
 * active execution started.
 */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { FIRST_ID } from '../../ids.js';
import { storeRest } from '../campaigns/sql/campaigns.js';
import {
  campaignsToClose,
  closeCampaign,
  countAsExpired,
  deleteUnneededMessages,
  expireEmails,
  expireEvents,
  lockMessages,
  type RetentionPage,
  type RetentionStep,
} from './sql/retention.js';

const DAY = 24 * 3600 * 1000;
/** Rows per transaction, which takes a fraction of a second. */
const PAGE = 2000;
/** Maximum time per kind of row and round. The next round continues. */
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

/** Messages come after the emails that refer to them. */
const STEPS = { emails, events, messages };

/** Deletes rows older than RETENTION_DAYS, one transaction per page. Does nothing if it is 0. */
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
