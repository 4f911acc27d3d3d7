/** The first step of a contact import: parses the file and stages its rows with their positions and errors. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import {
  copyImportRows,
  countImportRows,
  dropImport,
  lockStaging,
  markSuperseded,
  storeUnknownTimezones,
  type StagedRow,
  type UnknownTimezones,
} from './sql.js';
import { findJob, lockOpenJob, markJobStarted, setJobTotal, type JobRef, type JobRow } from '../jobs/sql.js';
import { JobFault } from '../jobs/close.js';
import { CsvReader, type CsvRecord } from './csv.js';
import { importFilePieces } from './file-sql.js';
import { readHeader, type Columns } from './header.js';
import { readImportParams, type ImportParams } from './options.js';
import { readRow } from './row.js';

/** Bytes of the file in memory. */
const PIECE_BYTES = 256 * 1024;
/** Unknown time zones that a job names. */
const MAX_NAMES = 10;

/**
 * Stages the rows of the file, unless they are staged.
 *
 * The job is locked only at the end, so that it can be canceled while a large file is read. A cancellation deletes the
 * file, which ends the reading.
 *
 * @returns false if the job is gone or has ended
 * @throws JobFault if the header is invalid
 */
export async function prepareImport(ctx: Context, job: JobRef): Promise<boolean> {
  await markJobStarted(ctx.pool, job);
  return transaction(ctx.pool, async (tx) => {
    await lockStaging(tx, job);
    const row = await findJob(tx, job, 'IMPORT');
    if (!isOpen(row)) {
      await dropImport(tx, job);
      return false;
    }
    // The table of rows is unlogged, so a crash of PostgreSQL empties it. The same file gives the same rows again.
    const rows = await countImportRows(tx, job);
    if (row.total !== null && row.total === rows) return true;
    if (rows > 0) throw new Error('The number of staged rows of an import differs from its total.');
    const staged = await stageFile(ctx, tx, job, readImportParams(row.params));
    await markSuperseded(tx, job);
    if (!(await lockOpenJob(tx, job))) {
      await dropImport(tx, job);
      return false;
    }
    await setJobTotal(tx, job, staged.total);
    await storeUnknownTimezones(tx, job, staged.unknownTimezones);
    return true;
  });
}

const isOpen = (row: JobRow | null): row is JobRow => row?.state === 'waiting' || row?.state === 'active';

interface Staged {
  total: number;
  unknownTimezones: UnknownTimezones;
}

/** Parses the next piece of the file, read on another connection, while PostgreSQL stores the rows of the last one. */
async function stageFile({ pool }: Context, tx: PoolClient, job: JobRef, params: ImportParams): Promise<Staged> {
  const unknownTimezones: UnknownTimezones = { rows: 0, names: new Set() };
  const rows = readRows(importFilePieces(pool, job, PIECE_BYTES), params, unknownTimezones);
  return { total: await copyImportRows(tx, job, rows), unknownTimezones };
}

async function* readRows(
  pieces: AsyncIterable<Buffer>,
  params: ImportParams,
  unknownTimezones: UnknownTimezones,
): AsyncGenerator<StagedRow[]> {
  const reader = new CsvReader({ delimiter: params.delimiter, keepsQuotedSpaces: params.mapping !== null });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stage = createStage(params, unknownTimezones);
  for await (const piece of pieces) yield stage(reader.write(decoder.decode(piece, { stream: true })));
  yield stage([...reader.write(decoder.decode()), ...reader.end()]);
}

/**
 * Returns a function that converts the records of the file in order, starting with the header, and notes the time zones that
 * it ignores.
 */
function createStage(
  { mapping, delimiter }: ImportParams,
  unknownTimezones: UnknownTimezones,
): (records: CsvRecord[]) => StagedRow[] {
  let columns: Columns | null = null;
  return (records) =>
    records.flatMap((record) => {
      if (columns) return [stagedRow(columns, record, { delimiter, unknownTimezones })];
      // The request has validated the header (request.ts).
      const header = 'problem' in record ? record : readHeader(trimCells(record.cells), mapping);
      if ('problem' in header) throw new JobFault(header.problem);
      columns = header;
      return [];
    });
}

/** The names in the header never keep their spaces. */
const trimCells = (cells: string[]): string[] => cells.map((cell) => cell.trim());

interface Staging {
  delimiter: string;
  unknownTimezones: UnknownTimezones;
}

function stagedRow(columns: Columns, record: CsvRecord, { delimiter, unknownTimezones }: Staging): StagedRow {
  const { line } = record;
  const row = 'problem' in record ? { email: '', problem: record.problem } : readRow(columns, record.cells);
  if (!('problem' in row)) {
    const { unknownTimezone, ...imported } = row;
    if (unknownTimezone !== null) {
      unknownTimezones.rows++;
      if (unknownTimezones.names.size < MAX_NAMES) unknownTimezones.names.add(unknownTimezone);
    }
    return { line, ...imported, error: null, cells: null };
  }
  const cells = 'problem' in record ? record.text.split(delimiter) : record.cells;
  return { line, email: row.email, subscribed: null, snoozedUntil: null, data: {}, error: row.problem, cells };
}
