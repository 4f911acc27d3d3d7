/** Writing many contacts by id. Like every statement, these lock contacts in the order of their addresses. */
import { ofProject } from '../../../db/of-project.js';
import type { Queryable } from '../../../db/pool.js';
import { MAX_BYTES, MAX_KEYS, type DataChange } from '../data.js';

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

export interface MergedContact {
  id: string;
  changed: boolean;
  /** False: the data would exceed the limits, so the contact stays unchanged. */
  fits: boolean;
}

/** Merges a change into the data of existing contacts. */
export async function mergeData(
  tx: Queryable,
  projectId: string,
  ids: string[],
  { set, unset }: Pick<DataChange, 'set' | 'unset'>,
): Promise<MergedContact[]> {
  const { rows } = await tx.query<MergedContact>(
    `WITH held AS MATERIALIZED (
       SELECT id, data, (data - $3::text[]) || $4::jsonb AS merged FROM contacts
        WHERE id = ANY ($2::uuid[]) AND ${ofProject('project_id')} ORDER BY email FOR NO KEY UPDATE
     ), checked AS MATERIALIZED (
       SELECT id, merged, merged <> data AS changed,
              $4::jsonb = '{}' OR merged = data
              OR (SELECT count(*) FROM jsonb_object_keys(merged)) <= $5 AND octet_length(merged::text) <= $6 AS fits
         FROM held
     ), changed AS (
       UPDATE contacts c SET data = k.merged, updated_at = clock_timestamp()
         FROM checked k WHERE c.id = k.id AND k.changed AND k.fits
     )
     SELECT id, changed, fits FROM checked`,
    [projectId, ids, unset, JSON.stringify(set), MAX_KEYS, MAX_BYTES],
  );
  return rows;
}
