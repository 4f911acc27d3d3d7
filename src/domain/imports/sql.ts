/** The file and the staged rows of a contact import, and the merge of a chunk of rows into the contacts. */
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Queryable } from '../../db/pool.js';
import type { JobRef } from '../jobs/sql.js';

export async function insertImportFile(tx: Queryable, { jobId, projectId }: JobRef, content: Buffer): Promise<void> {
  await tx.query(`INSERT INTO import_files (job_id, project_id, content) VALUES ($1, $2, $3)`, [
    jobId,
    projectId,
    content,
  ]);
}

/** Yields the file in pieces of `size` bytes; nothing if it does not exist. */
export async function* importFilePieces(tx: Queryable, { jobId }: JobRef, size: number): AsyncGenerator<Buffer> {
  for (let from = 1; ; from += size) {
    const { rows } = await tx.query<{ piece: Buffer }>(
      `SELECT substring(content FROM $2 FOR $3) AS piece FROM import_files WHERE job_id = $1`,
      [jobId, from, size],
    );
    const piece = rows[0]?.piece;
    if (!piece || piece.length === 0) return;
    yield piece;
  }
}

/** A staged row of the file. */
export interface StagedRow {
  line: number;
  email: string;
  subscribed: boolean | null;
  data: Record<string, unknown>;
  /** Why the row is rejected; null if it is valid. */
  error: string | null;
}

/** Escapes backslashes, tabs, and line breaks for COPY's text format. */
const escaped = (text: string): string =>
  /[\\\t\n\r]/.test(text)
    ? text.replace(/[\\\t\n\r]/g, (char) => ({ '\t': '\\t', '\n': '\\n', '\r': '\\r' })[char] ?? '\\\\')
    : text;

/**
 * Stores the rows in order. The next batch is parsed while the last one is stored. @returns the number of rows
 */
export async function copyImportRows(
  tx: PoolClient,
  { jobId }: JobRef,
  batches: AsyncIterable<StagedRow[]>,
): Promise<number> {
  let position = 0;
  const toText = async function* (): AsyncGenerator<string> {
    for await (const rows of batches) {
      const lines = rows.map(
        ({ line, email, subscribed, data, error }) =>
          [
            jobId,
            ++position,
            line,
            escaped(email),
            subscribed === null ? '\\N' : subscribed ? 't' : 'f',
            escaped(JSON.stringify(data)),
            error === null ? '\\N' : escaped(error),
          ].join('\t') + '\n',
      );
      if (lines.length > 0) yield lines.join('');
    }
  };
  await pipeline(
    Readable.from(toText()),
    tx.query(copyFrom('COPY import_rows (job_id, position, line, email, subscribed, data, error) FROM STDIN')),
  );
  return position;
}

/**
 * Marks all valid rows with the same address as superseded, except the last one. Collation "C" sorts fastest.
 *
 * The positions are passed as an array, not by a join: the planner has no statistics of the new rows, and a join could
 * sort all rows again for each row.
 */
export async function markSuperseded(tx: Queryable, { jobId }: JobRef): Promise<void> {
  await tx.query(`SET LOCAL work_mem = '16MB'`);
  await tx.query(
    `UPDATE import_rows SET superseded = true
      WHERE job_id = $1
        AND position = ANY (ARRAY(
          SELECT position
            FROM (SELECT position, row_number() OVER (PARTITION BY email COLLATE "C" ORDER BY position DESC) AS nth_last
                    FROM import_rows WHERE job_id = $1 AND error IS NULL) AS o
           WHERE nth_last > 1))`,
    [jobId],
  );
}

export async function countImportRows(tx: Queryable, { jobId }: JobRef): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(`SELECT count(*) AS count FROM import_rows WHERE job_id = $1`, [
    jobId,
  ]);
  return rows[0]?.count ?? 0;
}

/** Deletes the file and the staged rows of an import. */
export async function dropImport(tx: Queryable, { jobId }: JobRef): Promise<void> {
  await tx.query(`DELETE FROM import_rows WHERE job_id = $1`, [jobId]);
  await tx.query(`DELETE FROM import_files WHERE job_id = $1`, [jobId]);
}

/**
 * Deletes rows whose import has ended or was deleted. Uses an array of row locations, for the reason given at
 * markSuperseded. @returns the number of rows
 */
export async function deleteOrphanedImportRows(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM import_rows WHERE ctid = ANY (ARRAY(
       SELECT r.ctid FROM import_rows r
        WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.id = r.job_id AND j.state IN ('waiting', 'active')) LIMIT $1))`,
    [limit],
  );
  return rowCount ?? 0;
}

/** The rows with a position above `after` and up to `upTo`. */
export interface ImportChunk extends JobRef {
  after: number;
  upTo: number;
}

export interface ChunkCounts {
  rows: number;
  refused: number;
  superseded: number;
}

export async function countChunk(tx: Queryable, { jobId, after, upTo }: ImportChunk): Promise<ChunkCounts> {
  const { rows } = await tx.query<ChunkCounts>(
    `SELECT count(*) AS rows, count(error) AS refused, count(*) FILTER (WHERE superseded) AS superseded
       FROM import_rows WHERE job_id = $1 AND position > $2 AND position <= $3`,
    [jobId, after, upTo],
  );
  return rows[0] ?? { rows: 0, refused: 0, superseded: 0 };
}

export interface RefusedImportRow {
  row: number;
  email: string;
  error: string;
}

export async function refusedRows(
  tx: Queryable,
  { jobId, after, upTo }: ImportChunk,
  limit: number,
): Promise<RefusedImportRow[]> {
  const { rows } = await tx.query<RefusedImportRow>(
    `SELECT line AS row, email, error FROM import_rows
      WHERE job_id = $1 AND position > $2 AND position <= $3 AND error IS NOT NULL ORDER BY position LIMIT $4`,
    [jobId, after, upTo, limit],
  );
  return rows;
}

/** The existing contacts of a chunk. */
export interface MergedContacts {
  known: number;
  /** Ids of contacts whose subscription changed. */
  subscribed: string[];
  unsubscribed: string[];
  /** Rows whose contact did not change because its data would exceed the limits. */
  misfits: Array<{ row: number; email: string }>;
}

const GOOD_ROWS = `job_id = $1 AND position > $2 AND position <= $3 AND error IS NULL AND NOT superseded`;

/**
 * Makes the planner use one index lookup per row. Without statistics of the new rows, it would read all contacts of all
 * projects for each chunk.
 */
export async function planForChunk(tx: Queryable): Promise<void> {
  await tx.query(`SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`);
}

/**
 * Merges a chunk's valid rows into the existing contacts, locked in the order of their addresses. A contact that
 * already equals its row does not change. A row with a subscription ends a snooze.
 *
 * Data up to 800 bytes cannot exceed 100 keys or 64 KiB, so most rows need no count. The lookup is lateral, so that the
 * planner cannot start from all contacts.
 */
export async function mergeKnownContacts(
  tx: Queryable,
  { jobId, projectId, after, upTo }: ImportChunk,
): Promise<MergedContacts> {
  const { rows } = await tx.query<MergedContacts>(
    `WITH chunk AS MATERIALIZED (
       SELECT line, email, subscribed, data FROM import_rows WHERE ${GOOD_ROWS} ORDER BY email
     ), known AS MATERIALIZED (
       SELECT c.id, k.line, k.email, k.subscribed AS given, c.subscribed, c.snoozed_until, c.data,
              c.data || k.data AS merged
         FROM chunk k CROSS JOIN LATERAL (SELECT id, subscribed, snoozed_until, data FROM contacts
                                           WHERE project_id = $4 AND email = k.email FOR NO KEY UPDATE) c
     ), wanted AS MATERIALIZED (
       SELECT *, coalesce(given, subscribed) AS becomes,
              merged = data OR pg_column_size(merged) <= 800
                OR ((SELECT count(*) FROM jsonb_object_keys(merged)) <= 100
                  AND octet_length(merged::text) <= 65536) AS fits
         FROM known
     ), changed AS (
       UPDATE contacts c
          SET data = w.merged, subscribed = w.becomes, updated_at = clock_timestamp(),
              snoozed_until = CASE WHEN w.given IS NULL THEN w.snoozed_until END
         FROM wanted w
        WHERE c.id = w.id AND w.fits
          AND (w.merged <> w.data OR w.becomes <> w.subscribed OR w.given IS NOT NULL AND w.snoozed_until IS NOT NULL)
     )
     SELECT count(*) AS known,
            coalesce(array_agg(id) FILTER (WHERE fits AND becomes AND NOT subscribed), '{}') AS subscribed,
            coalesce(array_agg(id) FILTER (WHERE fits AND subscribed AND NOT becomes), '{}') AS unsubscribed,
            coalesce(jsonb_agg(jsonb_build_object('row', line, 'email', email) ORDER BY line)
                       FILTER (WHERE NOT fits), '[]') AS misfits
       FROM wanted`,
    [jobId, after, upTo, projectId],
  );
  return rows[0] ?? { known: 0, subscribed: [], unsubscribed: [], misfits: [] };
}

/**
 * Creates the missing contacts of a chunk's valid rows, subscribed by default. @returns the number of created contacts
 */
export async function insertNewContacts(
  tx: Queryable,
  { jobId, projectId, after, upTo }: ImportChunk,
): Promise<number> {
  const { rowCount } = await tx.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, data)
     SELECT uuid_v7(), $4, email, coalesce(subscribed, true), data FROM import_rows WHERE ${GOOD_ROWS} ORDER BY email
     ON CONFLICT (project_id, email) DO NOTHING`,
    [jobId, after, upTo, projectId],
  );
  return rowCount ?? 0;
}
