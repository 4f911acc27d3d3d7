/** Folders of uploads that are to be removed. */
import type { Queryable } from '../../db/pool.js';

/** Notes that a folder is to go; in the transaction that deletes its project. */
export async function noteRemoval(tx: Queryable, folder: string): Promise<void> {
  await tx.query({
    name: 'upload-removal-note',
    text: `INSERT INTO upload_removals (folder) VALUES ($1) ON CONFLICT (folder) DO NOTHING`,
    values: [folder],
  });
}

/** Up to `limit` of those folders. */
export async function notedRemovals(db: Queryable, limit: number): Promise<Array<{ folder: string; seconds: number }>> {
  const { rows } = await db.query<{ folder: string; seconds: number }>({
    name: 'upload-removals',
    text: `SELECT folder, extract(epoch FROM now() - at)::float8 AS seconds FROM upload_removals ORDER BY random() LIMIT $1`,
    values: [limit],
  });
  return rows;
}

/** Nothing can come into the folder any more, and it is empty. */
export async function forgetRemoval(db: Queryable, folder: string): Promise<void> {
  await db.query({
    name: 'upload-removal-forget',
    text: `DELETE FROM upload_removals WHERE folder = $1`,
    values: [folder],
  });
}
