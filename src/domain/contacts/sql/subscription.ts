/** Subscription changes outside of the API: by the recipient, and by the end of a snooze. */
import type { Queryable } from '../../../db/pool.js';
import { minuteOf } from '../../analytics/sql/email-figures.js';

export interface SubscriptionChange {
  subscribed: boolean;
  /** When the contact is subscribed again; only with `subscribed: false`. */
  snoozedUntil: Date | null;
}

export interface ChangedSubscription {
  projectId: string;
  /** Whether `subscribed` changed. */
  flipped: boolean;
}

/**
 * Writes a contact's subscription. A snooze applies only to subscribed or snoozed contacts, because its end subscribes the
 * contact.
 *
 * @returns null if nothing changed or the contact does not exist
 */
export async function changeSubscription(
  tx: Queryable,
  contactId: string,
  { subscribed, snoozedUntil }: SubscriptionChange,
): Promise<ChangedSubscription | null> {
  const { rows } = await tx.query<ChangedSubscription>({
    name: 'subscription-change',
    text: `WITH before AS (
             SELECT id, subscribed FROM contacts
              WHERE id = $1
                AND (subscribed <> $2 OR snoozed_until IS DISTINCT FROM $3)
                AND ($3::timestamptz IS NULL OR subscribed OR snoozed_until IS NOT NULL)
                FOR NO KEY UPDATE
           )
           UPDATE contacts c SET subscribed = $2, snoozed_until = $3, updated_at = now()
             FROM before b WHERE c.id = b.id
        RETURNING c.project_id AS "projectId", b.subscribed <> c.subscribed AS flipped`,
    values: [contactId, subscribed, snoozedUntil],
  });
  return rows[0] ?? null;
}

/** Returns the address of an email that a workflow sent; null if the email was deleted. */
export async function findRecipient(
  tx: Queryable,
  emailId: string,
): Promise<{ projectId: string; address: string } | null> {
  const { rows } = await tx.query<{ projectId: string; address: string }>({
    name: 'subscription-find-recipient',
    text: `SELECT project_id AS "projectId", to_email AS address FROM emails WHERE id = $1`,
    values: [emailId],
  });
  return rows[0] ?? null;
}

/** Records and counts that a recipient unsubscribed by a link of an email. Each email counts once. */
export async function storeUnsubscribe(tx: Queryable, projectId: string, emailId: string): Promise<void> {
  await tx.query({
    name: 'subscription-store-unsubscribe',
    text: `WITH email AS (
             SELECT * FROM emails WHERE id = $2 AND project_id = $1 AND source NOT IN ('TEST', 'PLATFORM')
           ), stored AS (
             INSERT INTO email_unsubscribes (email_id, project_id, campaign_id, at)
             SELECT id, project_id, campaign_id, now() FROM email
             ON CONFLICT DO NOTHING RETURNING email_id, at
           )
           INSERT INTO email_deltas (project_id, minute, campaign_id, template_id, workflow_id, source, type, domain, unsubscribed)
           SELECT e.project_id, ${minuteOf('s.at')}, e.campaign_id, e.template_id, e.workflow_id, e.source, e.type,
                  split_part(e.to_email, '@', -1), 1
             FROM stored s JOIN email e ON e.id = s.email_id`,
    values: [projectId, emailId],
  });
}

/**
 * Subscribes up to `limit` contacts whose snooze has expired, and writes the event of each, in one statement. Skips locked
 * contacts: the concurrent change may end the snooze.
 *
 * @returns the number of contacts
 */
export async function endSnoozes(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'snooze-end',
    text: `WITH due AS MATERIALIZED (
             SELECT id, subscribed FROM contacts WHERE snoozed_until <= now() ORDER BY snoozed_until LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
           ), ended AS (
             UPDATE contacts c SET subscribed = true, snoozed_until = NULL, updated_at = clock_timestamp()
               FROM due WHERE c.id = due.id
             RETURNING c.id, c.project_id, due.subscribed
           ), happened AS (
             SELECT uuid_v7(), project_id, id AS contact_id, NULL::uuid AS email_id, 'contact.subscribed' AS name,
                    '{"source":"snooze_expired","reason":"snooze_expired"}'::jsonb AS data,
                    NULL::timestamptz AS created_at, NULL::text AS trace
               FROM ended WHERE NOT subscribed
           ), intent AS (
             INSERT INTO outbox (workflow_id, action, payload, fairness_key)
             SELECT i.* FROM insert_events(ARRAY(SELECT h::new_event FROM happened h)) i
           )
           SELECT FROM ended`,
    values: [limit],
  });
  return rowCount ?? 0;
}
