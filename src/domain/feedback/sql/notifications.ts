/** Applied notifications from outside. Each is applied once, even if it arrives repeatedly or concurrently. */
import type { Queryable } from '../../../db/pool.js';

/** How long a notification is remembered. SNS messages of this age are rejected, and Stripe repeats for 30 days. */
export const REMEMBERED_DAYS = 60;

/**
 * Claims a notification for the caller's transaction, which applies it. A concurrent transaction waits here for the
 * first one to end; it then gets false, or the claim if the first one was rolled back.
 *
 * @returns false if the notification was already applied
 */
export async function claimNotification(
  tx: Queryable,
  source: 'sns' | 'inbound' | 'stripe',
  id: string,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'notification-claim',
    text: `INSERT INTO applied_notifications (source, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
    values: [source, id],
  });
  return rowCount === 1;
}

/** Deletes up to `limit` expired notifications. @returns the number of deleted rows */
export async function deleteOldNotifications(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM applied_notifications WHERE (source, id) IN (
       SELECT source, id FROM applied_notifications
        WHERE at < now() - make_interval(days => $2) AND source IN ('sns', 'inbound', 'stripe') LIMIT $1)`,
    [limit, REMEMBERED_DAYS],
  );
  return rowCount ?? 0;
}
