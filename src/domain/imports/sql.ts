/** The staged rows of a contact import, and the merge of a chunk of rows into the contacts. */
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Queryable } from '../../db/pool.js';
import type { JobRef } from '../jobs/sql.js';
import { deleteImportFile } from './file-sql.js';

/** A staged row of the file. */
export interface StagedRow {
  line: number;
  email: string;
  subscribed: boolean | null;
  snoozedUntil: Date | null;
  data: Record<string, unknown>;
  /** Why the row is rejected; null if it is valid. */
  error: string | null;
  /** The original cells of a rejected row. */
  cells: string[] | null;
}

/** Escapes backslashes, tabs, and line breaks for COPY's text format. */
const escaped = (text: string): string =>
  /[\\\t\n\r]/.test(text)
    ? text.replace(/[\\\t\n\r]/g, (char) => ({ '\t': '\\t', '\n': '\\n', '\r': '\\r' })[char] ?? '\\\\')
    : text;

/** Returns an array in PostgreSQL's format. */
const arrayText = (texts: string[]): string =>
  `{${texts.map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

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
        ({ line, email, subscribed, snoozedUntil, data, error, cells }) =>
          [
            jobId,
            ++position,
            line,
            escaped(email),
            subscribed === null ? '\\N' : subscribed ? 't' : 'f',
            escaped(JSON.stringify(data)),
            error === null ? '\\N' : escaped(error),
            snoozedUntil === null ? '\\N' : snoozedUntil.toISOString(),
            cells === null ? '\\N' : escaped(arrayText(cells)),
          ].join('\t') + '\n',
      );
      if (lines.length > 0) yield lines.join('');
    }
  };
  await pipeline(
    Readable.from(toText()),
    tx.query(
      copyFrom(
        'COPY import_rows (job_id, position, line, email, subscribed, data, error, snoozed_until, cells) FROM STDIN',
      ),
    ),
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

/** Time zones in the file that are not known. */
export interface UnknownTimezones {
  /** The rows with one. */
  rows: number;
  /** The first names. */
  names: Set<string>;
}

export async function storeUnknownTimezones(
  tx: Queryable,
  { jobId }: JobRef,
  { rows, names }: UnknownTimezones,
): Promise<void> {
  await tx.query(`UPDATE jobs SET unknown_timezone_count = $2, unknown_timezones = $3 WHERE id = $1`, [
    jobId,
    rows,
    [...names],
  ]);
}

/**
 * Lets other attempts to stage the rows of a job wait until the end of the transaction: one that was wrongly assumed
 * dead may still run.
 */
export async function lockStaging(tx: Queryable, { jobId }: JobRef): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 6))`, [`import:${jobId}`]);
}

export async function countImportRows(tx: Queryable, { jobId }: JobRef): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(`SELECT count(*) AS count FROM import_rows WHERE job_id = $1`, [
    jobId,
  ]);
  return rows[0]?.count ?? 0;
}

/** Deletes the file and the staged rows of an import. */
export async function dropImport(tx: Queryable, job: JobRef): Promise<void> {
  await tx.query(`DELETE FROM import_rows WHERE job_id = $1`, [job.jobId]);
  await deleteImportFile(tx, job);
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

/** Stores the rows of a chunk that were rejected when they were read. */
export async function copyRejectedRows(tx: Queryable, { jobId, projectId, after, upTo }: ImportChunk): Promise<void> {
  await tx.query(
    `INSERT INTO job_errors (job_id, project_id, line, cells, error)
     SELECT job_id, $4, line, coalesce(cells, ARRAY[email]), error FROM import_rows
      WHERE job_id = $1 AND position > $2 AND position <= $3 AND error IS NOT NULL ORDER BY position`,
    [jobId, after, upTo, projectId],
  );
}

export type StagedData = Pick<StagedRow, 'line' | 'email' | 'subscribed' | 'snoozedUntil' | 'data'>;

/** Returns the rows of a chunk on these lines. */
export async function selectStagedRows(
  tx: Queryable,
  { jobId, after, upTo }: ImportChunk,
  lines: number[],
): Promise<StagedData[]> {
  const { rows } = await tx.query<StagedData>(
    `SELECT line, email, subscribed, snoozed_until AS "snoozedUntil", data FROM import_rows
      WHERE job_id = $1 AND position > $2 AND position <= $3 AND line = ANY ($4::int[])`,
    [jobId, after, upTo, lines],
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

/** The existing contacts of a chunk, and what each becomes. `lock` is a row lock, or empty. */
const wanted = (lock: string): string => `
  chunk AS MATERIALIZED (
    SELECT line, email, subscribed, snoozed_until, data FROM import_rows WHERE ${GOOD_ROWS} ORDER BY email
  ), known AS MATERIALIZED (
    SELECT c.id, k.line, k.email, k.subscribed AS given, k.snoozed_until AS snooze, c.subscribed, c.snoozed_until,
           c.data, c.data || k.data AS merged
      FROM chunk k CROSS JOIN LATERAL (SELECT id, subscribed, snoozed_until, data FROM contacts
                                        WHERE project_id = $4 AND email = k.email ${lock}) c
  ), wanted AS MATERIALIZED (
    SELECT *, coalesce(given, subscribed) AS becomes,
           CASE WHEN given IS NULL THEN snoozed_until ELSE snooze END AS sleeps,
           merged = data OR pg_column_size(merged) <= 800
             OR ((SELECT count(*) FROM jsonb_object_keys(merged)) <= 100
               AND octet_length(merged::text) <= 65536) AS fits
      FROM known
  )`;

const MISFITS = `coalesce(jsonb_agg(jsonb_build_object('row', line, 'email', email) ORDER BY line)
                            FILTER (WHERE NOT fits), '[]') AS misfits`;

/**
 * Merges a chunk's valid rows into the existing contacts, locked in the order of their addresses. A contact that
 * already equals its row does not change. A row with a subscription ends a snooze, unless it has one.
 *
 * Data up to 800 bytes cannot exceed 100 keys or 64 KiB, so most rows need no count. The lookup is lateral, so that the
 * planner cannot start from all contacts.
 */
export async function mergeKnownContacts(
  tx: Queryable,
  { jobId, projectId, after, upTo }: ImportChunk,
): Promise<MergedContacts> {
  const { rows } = await tx.query<MergedContacts>(
    `WITH ${wanted('FOR NO KEY UPDATE')}, changed AS (
       UPDATE contacts c
          SET data = w.merged, subscribed = w.becomes, updated_at = clock_timestamp(), snoozed_until = w.sleeps
         FROM wanted w
        WHERE c.id = w.id AND w.fits
          AND (w.merged <> w.data OR w.becomes <> w.subscribed OR w.sleeps IS DISTINCT FROM w.snoozed_until)
     )
     SELECT count(*) AS known,
            coalesce(array_agg(id) FILTER (WHERE fits AND becomes AND NOT subscribed), '{}') AS subscribed,
            coalesce(array_agg(id) FILTER (WHERE fits AND subscribed AND NOT becomes), '{}') AS unsubscribed,
            ${MISFITS}
       FROM wanted`,
    [jobId, after, upTo, projectId],
  );
  return rows[0] ?? { known: 0, subscribed: [], unsubscribed: [], misfits: [] };
}

/** Compares a chunk's valid rows with the existing contacts, for a dry run. Changes and locks nothing. */
export async function previewKnownContacts(
  tx: Queryable,
  { jobId, projectId, after, upTo }: ImportChunk,
): Promise<MergedContacts> {
  const { rows } = await tx.query<Pick<MergedContacts, 'known' | 'misfits'>>(
    `WITH ${wanted('')} SELECT count(*) AS known, ${MISFITS} FROM wanted`,
    [jobId, after, upTo, projectId],
  );
  const [row] = rows;
  return { known: row?.known ?? 0, subscribed: [], unsubscribed: [], misfits: row?.misfits ?? [] };
}

/** Counts the existing contacts of a chunk's valid rows, for an import that skips them. */
export async function countKnownContacts(
  tx: Queryable,
  { jobId, projectId, after, upTo }: ImportChunk,
): Promise<number> {
  const { rows } = await tx.query<{ known: number }>(
    `WITH chunk AS MATERIALIZED (SELECT email FROM import_rows WHERE ${GOOD_ROWS})
     SELECT count(*) AS known
       FROM chunk k
      CROSS JOIN LATERAL (SELECT FROM contacts WHERE project_id = $4 AND email = k.email LIMIT 1) c`,
    [jobId, after, upTo, projectId],
  );
  return rows[0]?.known ?? 0;
}

/**
 * Returns the contacts of a chunk's valid rows, locked so that none is deleted before a membership refers to it, without
 * rows that changed nothing because of their size.
 */
export async function lockChunkContacts(
  tx: Queryable,
  { jobId, projectId, after, upTo }: ImportChunk,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `WITH chunk AS MATERIALIZED (
       SELECT email FROM import_rows r WHERE ${GOOD_ROWS}
          AND NOT EXISTS (SELECT FROM job_errors e WHERE e.job_id = $1 AND e.line = r.line) ORDER BY email
     )
     SELECT c.id
       FROM chunk k
      CROSS JOIN LATERAL (SELECT id FROM contacts WHERE project_id = $4 AND email = k.email FOR KEY SHARE) c`,
    [jobId, after, upTo, projectId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Creates the missing contacts of a chunk's valid rows, subscribed by default. @returns the number of created contacts
 */
export async function insertNewContacts(
  tx: Queryable,
  { jobId, projectId, after, upTo }: ImportChunk,
): Promise<number> {
  const { rowCount } = await tx.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, snoozed_until, data)
     SELECT uuid_v7(), $4, email, coalesce(subscribed, true), snoozed_until, data
       FROM import_rows WHERE ${GOOD_ROWS} ORDER BY email
     ON CONFLICT (project_id, email) DO NOTHING`,
    [jobId, after, upTo, projectId],
  );
  return rowCount ?? 0;
}
