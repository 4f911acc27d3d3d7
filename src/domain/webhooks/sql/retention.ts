/** Deletes old deliveries and notices in steps. */
import type { Queryable } from '../../../db/pool.js';
import { lowestId } from '../../../ids.js';

/** Deletes deliveries that have not changed since a time, and those to endpoints that no longer exist. @returns the number of rows */
export async function deleteOldDeliveries(db: Queryable, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(
       SELECT d.ctid FROM webhook_deliveries d
        WHERE d.updated_at < $1 LIMIT $2))`,
    [before, limit],
  );
  if ((rowCount ?? 0) > 0) return rowCount ?? 0;
  const orphans = await db.query(
    // Skips from endpoint to endpoint in the index.
    `WITH RECURSIVE endpoint AS (
       (SELECT endpoint_id AS id FROM webhook_deliveries ORDER BY endpoint_id LIMIT 1)
       UNION ALL
       SELECT (SELECT d.endpoint_id FROM webhook_deliveries d WHERE d.endpoint_id > e.id ORDER BY d.endpoint_id LIMIT 1)
         FROM endpoint e WHERE e.id IS NOT NULL
     ), gone AS (
       SELECT e.id FROM endpoint e
        WHERE e.id IS NOT NULL AND NOT EXISTS (SELECT FROM webhook_endpoints w WHERE w.id = e.id) LIMIT 1
     )
     DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM webhook_deliveries WHERE endpoint_id = (SELECT id FROM gone) LIMIT $1))`,
    [limit],
  );
  return orphans.rowCount ?? 0;
}

/** @returns the number of rows */
export async function deleteOldNotices(db: Queryable, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM webhook_notices WHERE id = ANY (ARRAY(
       SELECT id FROM webhook_notices WHERE id < $1 ORDER BY id LIMIT $2))`,
    [lowestId(before), limit],
  );
  return rowCount ?? 0;
}
