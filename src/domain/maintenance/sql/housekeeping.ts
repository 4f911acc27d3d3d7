/** Deletes expired rows, up to `limit` per statement. */
import type { Queryable } from '../../../db/pool.js';

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
