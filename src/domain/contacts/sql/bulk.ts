/** Writing many contacts by id. Like every statement, these lock contacts in the order of their addresses. */
import { ofProject } from '../../../db/of-project.js';
import type { Queryable } from '../../../db/pool.js';

export interface BulkSubscription {
  id: string;
  /** Whether the contact changed: `subscribed`, or a snooze that ended. */
  changed: boolean;
  flipped: boolean;
}

/** Writes the subscription of existing contacts, and ends their snoozes. */
export async function setSubscriptions(
  tx: Queryable,
  projectId: string,
  ids: string[],
  subscribed: boolean,
): Promise<BulkSubscription[]> {
  const { rows } = await tx.query<BulkSubscription>(
    `WITH held AS MATERIALIZED (
       SELECT id, subscribed, snoozed_until FROM contacts
        WHERE id = ANY ($2::uuid[]) AND ${ofProject('project_id')} ORDER BY email FOR NO KEY UPDATE
     ), changed AS (
       UPDATE contacts c SET subscribed = $3, snoozed_until = NULL, updated_at = clock_timestamp()
         FROM held h WHERE c.id = h.id AND (h.subscribed <> $3 OR h.snoozed_until IS NOT NULL)
     )
     SELECT id, subscribed <> $3 OR snoozed_until IS NOT NULL AS changed, subscribed <> $3 AS flipped FROM held`,
    [projectId, ids, subscribed],
  );
  return rows;
}

/** Locks contacts, so that no new row can refer to them. @returns the ids of those that exist */
export async function lockContacts(tx: Queryable, projectId: string, ids: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM contacts WHERE id = ANY ($2::uuid[]) AND ${ofProject('project_id')} ORDER BY email FOR UPDATE`,
    [projectId, ids],
  );
  return rows.map(({ id }) => id);
}
