/** Notifications from outside that were applied: each once, however often and however parallel it comes. */
import type { Queryable } from '../../../db/pool.js';

/**
 * How long a notification is known as applied. Whoever takes notifications refuses older ones, or its sender (Stripe)
 * repeats them for 30 days at most.
 */
export const REMEMBERED_DAYS = 60;

/**
 * Claims a notification for the caller's transaction, which applies it. A second transaction waits here until the first
 * one has ended, and is then refused or, where that was rolled back, let through.
 *
 * @returns false when it was applied already
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

/** Forgets notifications that nobody takes again. @returns how many rows */
export async function deleteOldNotifications(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM applied_notifications WHERE (source, id) IN (
       SELECT source, id FROM applied_notifications WHERE at < now() - make_interval(days => $2) AND source IN ('sns', 'inbound', 'stripe') LIMIT $1)`,
    [limit, REMEMBERED_DAYS],
  );
  return rowCount ?? 0;
}
