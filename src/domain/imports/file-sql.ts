/** The file of a contact import, in parts. */
import type { Queryable } from '../../db/pool.js';
import { lowestId } from '../../ids.js';
import type { JobRef } from '../jobs/sql.js';

/** Stores a part of the file. Parts are numbered from 0. */
export async function insertImportPart(
  db: Queryable,
  { jobId, projectId }: JobRef,
  position: number,
  content: Buffer,
): Promise<void> {
  await db.query({
    name: 'import-insert-part',
    text: `INSERT INTO import_files (job_id, project_id, position, content) VALUES ($1, $2, $3, $4)`,
    values: [jobId, projectId, position, content],
  });
}

/** Yields the file in pieces of at most `size` bytes; nothing if it does not exist. */
export async function* importFilePieces(db: Queryable, { jobId }: JobRef, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; ; position++) {
    for (let from = 1; ; from += size) {
      const { rows } = await db.query<{ piece: Buffer; length: number }>({
        name: 'import-file-piece',
        text: `SELECT substring(content FROM $3 FOR $4) AS piece, octet_length(content) AS length
                 FROM import_files WHERE job_id = $1 AND position = $2`,
        values: [jobId, position, from, size],
      });
      const [row] = rows;
      if (!row) return;
      if (row.piece.length > 0) yield row.piece;
      if (from + size > row.length) break;
    }
  }
}

export async function deleteImportFile(db: Queryable, { jobId }: JobRef): Promise<void> {
  await db.query(`DELETE FROM import_files WHERE job_id = $1`, [jobId]);
}

/**
 * Deletes parts of files whose upload ended without a job. Ids are ordered by time, and an upload takes at most some
 * minutes. @returns the number of parts
 */
export async function deleteInterruptedUploads(db: Queryable, olderThan: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM import_files WHERE ctid = ANY (ARRAY(
       SELECT f.ctid FROM import_files f
        WHERE f.job_id < $1 AND NOT EXISTS (SELECT FROM jobs j WHERE j.id = f.job_id) LIMIT $2))`,
    [lowestId(olderThan), limit],
  );
  return rowCount ?? 0;
}
