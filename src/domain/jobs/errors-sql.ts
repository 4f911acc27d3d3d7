/** The rejected rows of imports (`job_errors`). */
import type { Queryable } from '../../db/pool.js';
import { lowestId } from '../../ids.js';
import type { JobRef } from './sql.js';

export interface RejectedRow {
  /** The line in the file. */
  line: number;
  cells: string[];
  error: string;
}

export async function insertRejectedRows(
  tx: Queryable,
  { jobId, projectId }: JobRef,
  rows: RejectedRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO job_errors (job_id, project_id, line, cells, error)
     SELECT $1, $2, r.line, r.cells, r.error FROM jsonb_to_recordset($3) AS r(line int, cells text[], error text)`,
    [jobId, projectId, JSON.stringify(rows)],
  );
}

/** Returns up to `limit` rows in the order of the file, after a line. */
export async function selectRejectedRows(
  db: Queryable,
  { jobId, projectId }: JobRef,
  afterLine: number,
  limit: number,
): Promise<RejectedRow[]> {
  const { rows } = await db.query<RejectedRow>({
    name: 'job-errors-page',
    text: `SELECT line, cells, error FROM job_errors
            WHERE job_id = $1 AND project_id = $2 AND line > $3 ORDER BY line LIMIT $4`,
    values: [jobId, projectId, afterLine, limit],
  });
  return rows;
}

/** Deletes the rejected rows of jobs that were created before a time. @returns the number of rows */
export async function deleteOldRejectedRows(db: Queryable, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM job_errors WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM job_errors WHERE job_id < $1 LIMIT $2))`,
    [lowestId(before), limit],
  );
  return rowCount ?? 0;
}
