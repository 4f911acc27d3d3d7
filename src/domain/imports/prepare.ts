/** The first step of a contact import: the file becomes rows with their places and their faults. */
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
import { JobFault } from '../jobs/fault.js';
import { CsvReader, type CsvRecord } from './csv.js';
import { readHeader, readRow, type Columns } from './row.js';

/** Bytes of the file that are in memory at once. */
const PIECE = 256 * 1024;

/**
 * Reads the file into rows with their places and their faults, unless that is done.
 *
 * @returns false when there is nothing to run: the job is gone or has ended
 * @throws JobFault when the header can't be used
 */
export function prepareImport(ctx: Context, job: JobRef): Promise<boolean> {
  return transaction(ctx.pool, async (tx) => {
    const row = await lockOpenJob(tx, job);
    if (!row) {
      await dropImport(tx, job);
      return false;
    }
    // The rows are unlogged: a crash of the database has taken them when there are fewer than before, and the same file
    // gives the same rows again.
    const staged = await countImportRows(tx, job);
    if (row.total !== null && row.total === staged) return true;
    if (staged > 0) throw new Error('The rows of an import do not fit its job');
    const total = await stageFile(ctx, tx, job);
    await markSuperseded(tx, job);
    await setJobTotal(tx, job, total);
    return true;
  });
}

/**
 * On a connection of its own the file is read and its next piece taken apart, while the database stores the rows of the
 * last one.
 */
const stageFile = ({ pool }: Context, tx: PoolClient, job: JobRef): Promise<number> =>
  copyImportRows(tx, job, readRows(importFilePieces(pool, job, PIECE)));

async function* readRows(pieces: AsyncIterable<Buffer>): AsyncGenerator<StagedRow[]> {
  const reader = new CsvReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stage = createStage();
  for await (const piece of pieces) yield stage(reader.write(decoder.decode(piece, { stream: true })));
  yield stage([...reader.write(decoder.decode()), ...reader.end()]);
}

/** Takes the records in their order, the header first. */
function createStage(): (records: CsvRecord[]) => StagedRow[] {
  let columns: Columns | null = null;
  return (records) =>
    records.flatMap((record) => {
      if (columns) return [stagedRow(columns, record)];
      // The request has looked at the header already (request.ts).
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
