/**
 * A contact import's run: prepare, then chunk after chunk. Each step is a transaction that can be repeated; the Temporal workflow
 * `contactImport` calls them in turn.
 */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { insertEvents, subscriptionEvent } from '../../db/sql/events.js';
import {
  copyImportRows,
  countChunk,
  countImportRows,
  dropImport,
  importFilePieces,
  insertNewContacts,
  markSuperseded,
  mergeKnownContacts,
  preferIndexes,
  refusedRows,
  type ImportChunk,
  type StagedRow,
} from '../../db/sql/imports.js';
import { advanceJob, lockOpenJob, setJobTotal, type JobAdvance, type JobRef } from '../../db/sql/jobs.js';
import { givingWay } from '../give-way.js';
import { JobFault } from '../jobs/fault.js';
import { CsvReader, type CsvRecord } from './csv.js';
import { readHeader, readRow, TOO_MUCH_DATA, type Columns } from './row.js';

/** Bytes of the file that are in memory at once. */
const PIECE = 256 * 1024;
/** Rows of one transaction: about a fifth of a second, in which their contacts are locked. */
const CHUNK = 5000;
const MAX_ERRORS = 1000;
const ATTEMPTS = 10;

/**
 * Reads the file into rows with their places and their faults, unless that is done.
 *
 * @returns false when there is nothing to run: the job is gone or has ended
 * @throws JobFault when the header can't be used
 */
export function prepareImport({ pool }: Context, job: JobRef): Promise<boolean> {
  return transaction(pool, async (tx) => {
    const row = await lockOpenJob(tx, job);
    if (!row) {
      await dropImport(tx, job);
      return false;
    }
    // The rows are unlogged: a crash of the database has taken them when there are fewer than before, and the same file gives the same rows again.
    const staged = await countImportRows(tx, job);
    if (row.total !== null && row.total === staged) return true;
    if (staged > 0) throw new Error('The rows of an import do not fit its job');
    const total = await stageFile(tx, job);
    await markSuperseded(tx, job);
    await setJobTotal(tx, job, total);
    return true;
  });
}

async function stageFile(tx: PoolClient, job: JobRef): Promise<number> {
  const reader = new CsvReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stage = createStage();
  let total = 0;
  const copy = async (records: CsvRecord[]): Promise<void> => {
    const rows = stage(records);
    await copyImportRows(tx, job, total, rows);
    total += rows.length;
  };
  for await (const piece of importFilePieces(tx, job, PIECE)) await copy(reader.write(decoder.decode(piece, { stream: true })));
  await copy([...reader.write(decoder.decode()), ...reader.end()]);
  return total;
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
  return 'problem' in row ? { line, email: row.email, subscribed: null, data: {}, error: row.problem } : { line, ...row, error: null };
}

/**
 * Merges the next chunk of rows into the contacts, in one transaction with the job's cursor: a repeat goes on where the last one committed.
 *
 * @returns null when there is nothing to do: the job is gone or has ended; `lost` when the rows are, and the import is to be prepared again
 */
export async function importChunk({ pool, wake }: Context, job: JobRef): Promise<JobAdvance | 'lost' | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const outcome = await givingWay(pool, (tx) => mergeChunk(tx, job)).catch((error: unknown) => {
      if (error instanceof RaceLost) return error;
      throw error;
    });
    if (outcome instanceof RaceLost) continue;
    wake('outbox');
    return outcome;
  }
  throw new Error('The contacts of an import are being created and deleted by other requests');
}

/** An address came into being between the look at the contacts that exist and the insert of those that don't. */
class RaceLost extends Error {}

async function mergeChunk(tx: PoolClient, job: JobRef): Promise<JobAdvance | 'lost' | null> {
  const row = await lockOpenJob(tx, job);
  if (!row) {
    await dropImport(tx, job);
    return null;
  }
  if (row.total === null) return 'lost';
  const chunk: ImportChunk = { ...job, after: row.cursor, upTo: Math.min(row.cursor + CHUNK, row.total) };
  const { rows, refused, superseded } = await countChunk(tx, chunk);
  if (rows < chunk.upTo - chunk.after) return 'lost';

  await preferIndexes(tx);
  const good = rows - refused - superseded;
  const { known, subscribed, unsubscribed, misfits } = await mergeKnownContacts(tx, chunk);
  const created = known < good ? await insertNewContacts(tx, chunk) : 0;
  if (known + created < good) throw new RaceLost();
  await insertEvents(tx, [
    ...subscribed.map((id) => subscriptionEvent(job.projectId, id, true, 'import')),
    ...unsubscribed.map((id) => subscriptionEvent(job.projectId, id, false, 'import')),
  ]);

  const errors = [...(refused > 0 ? await refusedRows(tx, chunk, MAX_ERRORS) : []), ...misfits.map((misfit) => ({ ...misfit, error: TOO_MUCH_DATA }))];
  // A row whose address comes again was taken, too: as if the contact had been written by each in turn.
  const updated = known - misfits.length + superseded;
  const advance = await advanceJob(tx, job, {
    cursor: chunk.upTo,
    created,
    updated,
    success: created + updated,
    failed: refused + misfits.length,
    errors: errors.sort((a, b) => a.row - b.row),
  });
  if (advance.done) await dropImport(tx, job);
  return advance;
}
