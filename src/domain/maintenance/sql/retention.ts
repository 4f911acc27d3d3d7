/**
 * Deletes rows older than the retention (events, emails, and content that no email needs) in pages of their ids, which
 * are ordered by time. Figures are rolled up before. Also deletes expired counters of requests and attempts.
 */
import type { Queryable } from '../../../db/pool.js';
import { LINK_ID } from '../../campaigns/sql/links.js';
import { lowestId } from '../../../ids.js';

export interface RetentionPage {
  /** Older rows are deleted. */
  before: Date;
  /** The page starts after this id. */
  after: string;
  limit: number;
}

export interface RetentionStep {
  deleted: number;
  /** The last id of the page; null if no older rows are left. */
  upTo: string | null;
}

const PAGE = (table: string): string =>
  `page AS MATERIALIZED (SELECT id FROM ${table} WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3)`;
const PAGE_RESULT = `SELECT (SELECT count(*)::int FROM gone) AS deleted,
                       CASE WHEN (SELECT count(*) FROM page) = $3
                            THEN (SELECT id FROM page ORDER BY id DESC LIMIT 1) END AS "upTo"`;

async function step(
  tx: Queryable,
  name: string,
  sql: string,
  { before, after, limit }: RetentionPage,
): Promise<RetentionStep> {
  const { rows } = await tx.query<RetentionStep>({
    name,
    text: sql,
    values: [after, lowestId(before), limit, before.toISOString()],
  });
  return rows[0] ?? { deleted: 0, upTo: null };
}

/** Until the end of the transaction, deleted events keep their counts (uncount_events in src/db/functions). */
export async function countAsExpired(tx: Queryable): Promise<void> {
  await tx.query(`SELECT set_config('sendloom.expiring', 'on', true)`);
}

/** Events, except those since the start of a contact's active execution: its steps may still look for them. */
export const expireEvents = (tx: Queryable, page: RetentionPage): Promise<RetentionStep> =>
  step(
    tx,
    'retention-events',
    `WITH ${PAGE('events')}, old AS MATERIALIZED (
       SELECT e.id FROM events e JOIN page USING (id)
        WHERE e.created_at < $4
          AND NOT EXISTS (SELECT FROM workflow_executions x
            WHERE x.contact_id = e.contact_id AND x.status IN ('RUNNING', 'WAITING')
              AND (x.started_at <= e.created_at OR x.trigger_event_id = e.id))
        FOR UPDATE OF e SKIP LOCKED
     ), gone AS (
       DELETE FROM events e USING old WHERE e.id = old.id RETURNING 1
     ) ${PAGE_RESULT}`,
    page,
  );

/** The emails `e` of a page to delete: ended ones whose campaign and execution have also ended. */
const OLD_EMAILS = `
  e.created_at < $4 AND e.status NOT IN ('SCHEDULED', 'PENDING', 'SENDING')
  AND NOT EXISTS (SELECT FROM campaigns c WHERE c.id = e.campaign_id AND c.status IN ('SCHEDULED', 'SENDING'))
  AND NOT EXISTS (SELECT FROM workflow_executions x
    WHERE x.id = e.execution_id AND x.status IN ('RUNNING', 'WAITING'))`;

/** Returns the campaigns that lose their first emails with this page. */
export async function campaignsToClose(tx: Queryable, { before, after, limit }: RetentionPage): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'retention-campaigns',
    text: `WITH ${PAGE('emails')}
           SELECT DISTINCT c.id FROM page JOIN emails e USING (id) JOIN campaigns c ON c.id = e.campaign_id
             WHERE NOT c.emails_expired AND ${OLD_EMAILS} ORDER BY c.id`,
    values: [after, lowestId(before), limit, before.toISOString()],
  });
  return rows.map(({ id }) => id);
}

/** Stores the figures of campaigns on their rows, which are used from then on. */
export async function closeCampaign(tx: Queryable, campaignId: string): Promise<void> {
  await tx.query({
    name: 'retention-close-campaign',
    text: `UPDATE campaigns SET emails_expired = true WHERE id = $1`,
    values: [campaignId],
  });
}

/** Deletes ended emails, the hits of their links, and their ids at mail servers. */
export const expireEmails = (tx: Queryable, page: RetentionPage): Promise<RetentionStep> =>
  step(
    tx,
    'retention-emails',
    `WITH ${PAGE('emails')}, old AS MATERIALIZED (
       SELECT e.id, e.project_id, e.campaign_id FROM emails e JOIN page USING (id) WHERE ${OLD_EMAILS} FOR UPDATE OF e SKIP LOCKED
     ), hits AS (
       DELETE FROM tracking_hits h USING old WHERE h.project_id = old.project_id AND h.email_id = old.id
       RETURNING h.email_id, ${LINK_ID('h')} AS link_id
     ), clicks AS (
       DELETE FROM campaign_clicks k USING old, hits h
        WHERE h.email_id = old.id AND k.campaign_id = old.campaign_id AND k.link_id = h.link_id AND k.email_id = old.id
     ), unsubscribes AS (
       DELETE FROM email_unsubscribes u USING old WHERE u.email_id = old.id
     ), attempts AS (
       DELETE FROM email_attempts a USING old WHERE a.email_id = old.id
     ), tags AS (
       DELETE FROM email_tags t USING old WHERE t.email_id = old.id
     ), server_ids AS (
       DELETE FROM email_server_ids s USING old WHERE s.email_id = old.id
     ), gone AS (
       DELETE FROM emails e USING old WHERE e.id = old.id RETURNING 1
     ) ${PAGE_RESULT}`,
    page,
  );

/**
 * Messages `m` that no email uses or will use: not those of a campaign in progress, and not the current content of a
 * template. Only emails without a campaign are in the index of messages. The scalar subquery makes the planner look up
 * the emails of each campaign.
 */
const UNNEEDED = `
  NOT EXISTS (SELECT FROM emails e WHERE e.message_id = m.id AND e.campaign_id IS NULL)
  AND NOT EXISTS (
    SELECT FROM campaigns c
     WHERE c.message_id = m.id
       AND (c.status IN ('SCHEDULED', 'SENDING')
            OR (SELECT true FROM emails e WHERE e.campaign_id = c.id LIMIT 1)))
  AND NOT EXISTS (SELECT FROM templates t WHERE t.id = m.template_id AND t.version = m.template_version)`;

/**
 * Locks old messages that nothing needs, so that no email is created from them until the end of the transaction. Skips
 * messages that are locked by a statement that creates emails.
 */
export async function lockMessages(tx: Queryable, { before, after, limit }: RetentionPage): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'retention-lock-messages',
    text: `SELECT m.id FROM messages m WHERE m.id > $1 AND m.id < $2 AND m.created_at < $4 AND ${UNNEEDED}
             ORDER BY m.id LIMIT $3 FOR UPDATE OF m SKIP LOCKED`,
    values: [after, lowestId(before), limit, before.toISOString()],
  });
  return rows.map(({ id }) => id);
}

/**
 * Deletes locked messages that nothing needs. It is a statement of its own so that it sees every email that was created
 * before the lock; deleting the message would delete those. @returns their number
 */
export async function deleteUnneededMessages(tx: Queryable, ids: readonly string[]): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'retention-messages',
    text: `DELETE FROM messages m WHERE m.id = ANY ($1::uuid[]) AND ${UNNEEDED}`,
    values: [ids],
  });
  return rowCount ?? 0;
}

/** Deletes the seconds before the rolling minute. @returns the number of rows */
export async function deleteOldRateWindows(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM rate_windows WHERE (project_id, second) IN (SELECT project_id, second FROM rate_windows
       WHERE second < extract(epoch FROM now())::bigint - 120 LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}

/** Deletes failed logins and other attempts that no limit counts any longer. @returns the number of rows */
export async function deleteOldAttempts(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM auth_attempts
       WHERE id IN (SELECT id FROM auth_attempts WHERE at < now() - interval '1 hour' LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}
