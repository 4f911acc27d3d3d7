/** SQL of pending removals of upload folders. */
import type { Queryable } from '../../db/pool.js';

/** Inserts a pending removal in the transaction that deletes the folder's project. */
export async function insertPendingRemoval(tx: Queryable, folder: string): Promise<void> {
  await tx.query({
    name: 'upload-removal-note',
    text: `INSERT INTO upload_removals (folder) VALUES ($1) ON CONFLICT (folder) DO NOTHING`,
    values: [folder],
  });
}

/** Returns up to `limit` pending folders and their age. */
export async function selectPendingRemovals(
  db: Queryable,
  limit: number,
): Promise<Array<{ folder: string; seconds: number }>> {
  const { rows } = await db.query<{ folder: string; seconds: number }>({
    name: 'upload-removals',
    text: `SELECT folder, extract(epoch FROM now() - at)::float8 AS seconds
             FROM upload_removals ORDER BY random() LIMIT $1`,
    values: [limit],
  });
  return rows;
}

export async function deletePendingRemoval(db: Queryable, folder: string): Promise<void> {
  await db.query({
    name: 'upload-removal-forget',
    text: `DELETE FROM upload_removals WHERE folder = $1`,
    values: [folder],
  });
}
