/** Subscription changes outside of the API: by the recipient, and by the end of a snooze. */
import type { Queryable } from '../../../db/pool.js';

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
