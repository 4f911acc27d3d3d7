/** The first step of a contact import: parses the file and stages its rows with their positions and errors. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import {
  copyImportRows,
  countImportRows,
  dropImport,
  importFilePieces,
  markSuperseded,
  type StagedRow,
} from './sql.js';
import { lockOpenJob, setJobTotal, type JobRef } from '../jobs/sql.js';
import { JobFault } from '../jobs/close.js';
import { CsvReader, type CsvRecord } from './csv.js';
import { readHeader, readRow, type Columns } from './row.js';

/** Bytes of the file in memory. */
const PIECE_BYTES = 256 * 1024;

/**
 * Stages the rows of the file, unless they are staged.
 *
 * @returns false if the job is gone or has ended
 * @throws JobFault if the header is invalid
 */
export function prepareImport(ctx: Context, job: JobRef): Promise<boolean> {
  return transaction(ctx.pool, async (tx) => {
    const row = await lockOpenJob(tx, job);
    if (!row) {
      await dropImport(tx, job);
      return false;
    }
    // The table of rows is unlogged, so a crash of PostgreSQL empties it. The same file gives the same rows again.
    const staged = await countImportRows(tx, job);
    if (row.total !== null && row.total === staged) return true;
    if (staged > 0) throw new Error('The number of staged rows of an import differs from its total.');
    const total = await stageFile(ctx, tx, job);
    await markSuperseded(tx, job);
    await setJobTotal(tx, job, total);
    return true;
  });
}

/** Parses the next piece of the file, read on another connection, while PostgreSQL stores the rows of the last one. */
const stageFile = ({ pool }: Context, tx: PoolClient, job: JobRef): Promise<number> =>
  copyImportRows(tx, job, readRows(importFilePieces(pool, job, PIECE_BYTES)));

async function* readRows(pieces: AsyncIterable<Buffer>): AsyncGenerator<StagedRow[]> {
  const reader = new CsvReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stage = createStage();
  for await (const piece of pieces) yield stage(reader.write(decoder.decode(piece, { stream: true })));
  yield stage([...reader.write(decoder.decode()), ...reader.end()]);
}

/** Returns a function that converts the records of the file in order, starting with the header. */
function createStage(): (records: CsvRecord[]) => StagedRow[] {
  let columns: Columns | null = null;
  return (records) =>
    records.flatMap((record) => {
      if (columns) return [stagedRow(columns, record)];
      // The request has validated the header (request.ts).
      const header = 'problem' in record ? record : readHeader(record.cells);
      if ('problem' in header) throw new JobFault(header.problem);
      columns = header;
      return [];
    });
}

function stagedRow(columns: Columns, record: CsvRecord): StagedRow {
  const { line } = record;
  const row = 'problem' in record ? { email: '', problem: record.problem } : readRow(columns, record.cells);
  return 'problem' in row
    ? { line, email: row.email, subscribed: null, data: {}, error: row.problem }
    : { line, ...row, error: null };
}
