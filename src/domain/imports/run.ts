/**
 * Runs a contact import in chunks. The Temporal workflow `contactImport` prepares the import (prepare.ts), then calls
 * `importChunk` until the job is done.
 */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { insertEvents, subscriptionEvent } from '../events/insert.js';
import { JobFault } from '../jobs/close.js';
import { advanceJob, findJob, lockOpenJob, type JobAdvance, type JobRef, type JobStep } from '../jobs/sql.js';
import { withLockTimeout } from '../lock-timeout.js';
import { joinStaticSegment } from '../segments/join.js';
import { recountMembers } from '../segments/sql/segments.js';
import { readImportParams, type ImportParams } from './options.js';
import { storeRejectedRows } from './rejected.js';
import { TOO_MUCH_DATA } from './row.js';
import {
  countChunk,
  countKnownContacts,
  dropImport,
  insertNewContacts,
  lockChunkContacts,
  mergeKnownContacts,
  planForChunk,
  previewKnownContacts,
  refusedRows,
  type ImportChunk,
  type MergedContacts,
} from './sql.js';

/** Rows of one transaction: about 0.2 seconds, in which their contacts are locked. */
const CHUNK_SIZE = 5000;
const MAX_ERRORS = 1000;
const MAX_ATTEMPTS = 10;

/** Another request created or deleted a contact between the update of existing contacts and the insert of new ones. */
class RaceLostError extends Error {}
/** The staged rows no longer exist: see prepare.ts. */
class RowsLostError extends Error {}

/**
 * Merges the next rows into the contacts, in one transaction with the job's cursor, so a repeated call continues after
 * the last commit.
 *
 * The following chunk is merged concurrently on a second connection and commits after the first one or not at all,
 * because the cursor allows no gaps. Two chunks have no address in common, because only the last row with an address
 * counts. The second connection makes imports 1.1 to 1.3 times as fast (docs/benchmarks.md).
 *
 * @returns null if the job is gone or has ended; `lost` if its rows are gone and the import must be prepared again
 */
export async function importChunk(ctx: Context, job: JobRef): Promise<JobAdvance | 'lost' | null> {
  const seen = await findJob(ctx.pool, job, 'IMPORT');
  const following = seen?.total === null || seen === null ? null : chunkFrom(job, seen.cursor + CHUNK_SIZE, seen.total);
  const delayed = new AbortController();
  const first = mergeNextChunk(ctx, job, delayed);
  const second =
    seen && following && mergeFollowingChunk(ctx, following, readImportParams(seen.params), first, delayed.signal);
  // Both transactions have ended before the call returns or throws.
  const [advance, more] = await Promise.allSettled([first, second]);
  if (advance.status === 'rejected') throw advance.reason;
  if (more.status === 'rejected') throw more.reason;
  ctx.wake('outbox');
  return more.value ?? advance.value;
}

const chunkFrom = (job: JobRef, after: number, total: number): ImportChunk | null =>
  after < total ? { ...job, after, upTo: Math.min(after + CHUNK_SIZE, total) } : null;

/**
 * Merges the chunk at the cursor. If it waits for a lock, it aborts `delayed`, so that the following chunk releases its
 * locks.
 */
async function mergeNextChunk(
  { pool }: Context,
  job: JobRef,
  delayed: AbortController,
): Promise<JobAdvance | 'lost' | null> {
  try {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      let tries = 0;
      const outcome = await withLockTimeout(pool, (tx) => {
        if (tries++ > 0) delayed.abort();
        return mergeAtCursor(tx, job);
      }).catch((error: unknown) => {
        if (error instanceof RaceLostError || error instanceof RowsLostError) return error;
        throw error;
      });
      if (outcome instanceof RowsLostError) return 'lost';
      if (!(outcome instanceof RaceLostError)) return outcome;
      delayed.abort();
    }
    throw new Error('Other requests keep creating and deleting the contacts of an import.');
  } catch (error) {
    delayed.abort();
    throw error;
  }
}

async function mergeAtCursor(tx: PoolClient, job: JobRef): Promise<JobAdvance | null> {
  const row = await lockOpenJob(tx, job);
  if (!row) {
    await dropImport(tx, job);
    return null;
  }
  if (row.total === null) throw new RowsLostError();
  // An import without rows has one empty chunk.
  const chunk = chunkFrom(job, row.cursor, row.total) ?? { ...job, after: row.cursor, upTo: row.total };
  const params = readImportParams(row.params);
  return finishChunk(tx, chunk, params, await mergeChunk(tx, chunk, params));
}

/**
 * Merges the following chunk and commits it after the first. On any conflict, the chunk is left to the next call.
 *
 * @returns null if the chunk was not committed
 */
async function mergeFollowingChunk(
  { pool, log }: Context,
  chunk: ImportChunk,
  params: ImportParams,
  first: Promise<unknown>,
  delayed: AbortSignal,
): Promise<JobAdvance | null> {
  try {
    return await transaction(pool, async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '200ms'`);
      const step = await mergeChunk(tx, chunk, params);
      await settledBeforeAbort(first, delayed);
      const row = await lockOpenJob(tx, chunk);
      if (row?.cursor !== chunk.after) throw new RaceLostError();
      return finishChunk(tx, chunk, params, step);
    });
  } catch (error) {
    log.debug({ err: error, jobId: chunk.jobId }, 'Import: a chunk is left to the next call');
    return null;
  }
}

/** Resolves with `first`; rejects if `signal` is aborted before. */
function settledBeforeAbort(first: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const aborted = new Promise((_, reject) => {
    const rejectRace = (): void => reject(new RaceLostError());
    if (signal.aborted) rejectRace();
    else signal.addEventListener('abort', rejectRace, { once: true });
  });
  return Promise.race([first, aborted]);
}

/**
 * Stores the rejected rows, adds the contacts to the segment, and advances the job. The segment is locked here, after
 * the previous chunk has committed, so that two chunks never wait for each other.
 */
async function finishChunk(
  tx: PoolClient,
  chunk: ImportChunk,
  params: ImportParams,
  { step, refused, misfits }: MergedChunk,
): Promise<JobAdvance> {
  await storeRejectedRows(tx, chunk, params, { refused, misfits });
  const { segmentId, dryRun } = params;
  if (segmentId !== null && !dryRun) {
    const contactIds = await lockChunkContacts(tx, chunk);
    if ((await joinStaticSegment(tx, chunk.projectId, segmentId, contactIds)) === null)
      throw new JobFault('The segment of the import was deleted.');
  }
  const advance = await advanceJob(tx, chunk, step);
  if (!advance.done) return advance;
  // Contacts that were deleted meanwhile are still in the count.
  if (segmentId !== null && !dryRun) await recountMembers(tx, [segmentId]);
  await dropImport(tx, chunk);
  return advance;
}

interface MergedChunk {
  step: JobStep;
  refused: number;
  /** The lines of rows whose contact would exceed the limits of its data. */
  misfits: number[];
}

/** @throws RaceLostError, RowsLostError: the caller must roll back */
async function mergeChunk(tx: PoolClient, chunk: ImportChunk, params: ImportParams): Promise<MergedChunk> {
  const { rows, refused, superseded } = await countChunk(tx, chunk);
  if (rows < chunk.upTo - chunk.after) throw new RowsLostError();

  await planForChunk(tx);
  const good = rows - refused - superseded;
  const { known, misfits, ...flips } = await mergeKnown(tx, chunk, params);
  const created = params.dryRun ? good - known : known < good ? await insertNewContacts(tx, chunk) : 0;
  if (known + created < good) throw new RaceLostError();
  await insertEvents(tx, [
    ...flips.subscribed.map((id) => subscriptionEvent(chunk.projectId, id, true, 'import')),
    ...flips.unsubscribed.map((id) => subscriptionEvent(chunk.projectId, id, false, 'import')),
  ]);

  const errors = [
    ...(refused > 0 ? await refusedRows(tx, chunk, MAX_ERRORS) : []),
    ...misfits.map((misfit) => ({ ...misfit, error: TOO_MUCH_DATA })),
  ];
  // Rows that a later row with the same address replaces count like those of existing contacts.
  const existing = known - misfits.length + superseded;
  const skips = params.onExisting === 'skip';
  const updated = skips ? 0 : existing;
  return {
    step: {
      cursor: chunk.upTo,
      created,
      updated,
      success: created + updated,
      skipped: skips ? existing : 0,
      failed: refused + misfits.length,
      errors: errors.sort((a, b) => a.row - b.row),
    },
    refused,
    misfits: misfits.map(({ row }) => row),
  };
}

/** Merges the rows of existing contacts, or only compares them (dry run), or only counts them (`onExisting: skip`). */
async function mergeKnown(tx: PoolClient, chunk: ImportChunk, params: ImportParams): Promise<MergedContacts> {
  if (params.onExisting === 'skip')
    return { known: await countKnownContacts(tx, chunk), subscribed: [], unsubscribed: [], misfits: [] };
  return params.dryRun ? previewKnownContacts(tx, chunk) : mergeKnownContacts(tx, chunk);
}
