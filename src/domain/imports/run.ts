/**
 * A contact import's run, chunk after chunk, each one transaction with the job's cursor in it. The Temporal workflow
 * `contactImport` prepares the import (prepare.ts), then calls this until the job is done.
 */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { insertEvents, subscriptionEvent } from '../events/insert.js';
import {
  countChunk,
  dropImport,
  insertNewContacts,
  mergeKnownContacts,
  planForChunk,
  refusedRows,
  type ImportChunk,
} from './sql.js';
import { advanceJob, findJob, lockOpenJob, type JobAdvance, type JobRef, type JobStep } from '../jobs/sql.js';
import { givingWay } from '../give-way.js';
import { TOO_MUCH_DATA } from './row.js';

/** Rows of one transaction: about a fifth of a second, in which their contacts are locked. */
const CHUNK = 5000;
const MAX_ERRORS = 1000;
const ATTEMPTS = 10;

/** An address came into being between the look at the contacts that exist and the insert of those that don't. */
class RaceLost extends Error {}
/** The rows are gone: see prepare.ts. */
class RowsLost extends Error {}

/**
 * Merges the next rows into the contacts, in one transaction with the job's cursor: a repeat goes on where the last one
 * committed.
 *
 * The chunk behind is merged at the same time on a second connection, and commits behind the first or not at all: the
 * cursor knows no gaps. Two chunks have no address in common, since of rows with one address only the last counts.
 *
 * @returns null when there is nothing to do: the job is gone or has ended; `lost` when the rows are, and the import is
 * to be prepared again
 */
export async function importChunk(ctx: Context, job: JobRef): Promise<JobAdvance | 'lost' | null> {
  const seen = await findJob(ctx.pool, job, 'IMPORT');
  const behind = seen?.total === null || seen === null ? null : chunkFrom(job, seen.cursor + CHUNK, seen.total);
  const held = new AbortController();
  const first = lead(ctx, job, held);
  const following = behind && follow(ctx, behind, first, held.signal);
  // Both have ended before anybody goes on, whatever became of the first.
  const [advance, more] = await Promise.allSettled([first, following]);
  if (advance.status === 'rejected') throw advance.reason;
  if (more.status === 'rejected') throw more.reason;
  ctx.wake('outbox');
  return more.value ?? advance.value;
}

const chunkFrom = (job: JobRef, after: number, total: number): ImportChunk | null =>
  after < total ? { ...job, after, upTo: Math.min(after + CHUNK, total) } : null;

/**
 * Merges the chunk at the cursor. Held up by a lock, it aborts `held`, for nothing may hold its locks for longer on its
 * account.
 */
async function lead({ pool }: Context, job: JobRef, held: AbortController): Promise<JobAdvance | 'lost' | null> {
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      let tries = 0;
      const outcome = await givingWay(pool, (tx) => {
        if (tries++ > 0) held.abort();
        return mergeNext(tx, job);
      }).catch((error: unknown) => {
        if (error instanceof RaceLost || error instanceof RowsLost) return error;
        throw error;
      });
      if (outcome instanceof RowsLost) return 'lost';
      if (!(outcome instanceof RaceLost)) return outcome;
      held.abort();
    }
    throw new Error('The contacts of an import are being created and deleted by other requests');
  } catch (error) {
    held.abort();
    throw error;
  }
}

async function mergeNext(tx: PoolClient, job: JobRef): Promise<JobAdvance | null> {
  const row = await lockOpenJob(tx, job);
  if (!row) {
    await dropImport(tx, job);
    return null;
  }
  // An import is over with its last row; one that has none is over at once.
  const chunk =
    row.total === null
      ? null
      : (chunkFrom(job, row.cursor, row.total) ?? { ...job, after: row.cursor, upTo: row.total });
  if (!chunk) throw new RowsLost();
  const step = await mergeChunk(tx, chunk);
  return finish(tx, job, step);
}

/**
 * Merges the chunk behind, and commits it as soon as the first has; whatever comes between them, it leaves the chunk to
 * the next call.
 *
 * @returns null when it was left
 */
async function follow(
  { pool, log }: Context,
  chunk: ImportChunk,
  first: Promise<unknown>,
  held: AbortSignal,
): Promise<JobAdvance | null> {
  try {
    return await transaction(pool, async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '200ms'`);
      const step = await mergeChunk(tx, chunk);
      await beforeAbort(first, held);
      const row = await lockOpenJob(tx, chunk);
      if (row?.cursor !== chunk.after) throw new RaceLost();
      return finish(tx, chunk, step);
    });
  } catch (error) {
    log.debug({ err: error, jobId: chunk.jobId }, 'A chunk of an import is left to the next call');
    return null;
  }
}

/** Resolves with `first`, unless `signal` is aborted before. */
function beforeAbort(first: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const aborted = new Promise((_, reject) => {
    const give = (): void => reject(new RaceLost());
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
  return Promise.race([first, aborted]);
}

async function finish(tx: PoolClient, job: JobRef, step: JobStep): Promise<JobAdvance> {
  const advance = await advanceJob(tx, job, step);
  if (advance.done) await dropImport(tx, job);
  return advance;
}

/** @throws RaceLost, RowsLost: then nothing of it may be committed */
async function mergeChunk(tx: PoolClient, chunk: ImportChunk): Promise<JobStep> {
  const { rows, refused, superseded } = await countChunk(tx, chunk);
  if (rows < chunk.upTo - chunk.after) throw new RowsLost();

  await planForChunk(tx);
  const good = rows - refused - superseded;
  const { known, subscribed, unsubscribed, misfits } = await mergeKnownContacts(tx, chunk);
  const created = known < good ? await insertNewContacts(tx, chunk) : 0;
  if (known + created < good) throw new RaceLost();
  await insertEvents(tx, [
    ...subscribed.map((id) => subscriptionEvent(chunk.projectId, id, true, 'import')),
    ...unsubscribed.map((id) => subscriptionEvent(chunk.projectId, id, false, 'import')),
  ]);

  const errors = [
    ...(refused > 0 ? await refusedRows(tx, chunk, MAX_ERRORS) : []),
    ...misfits.map((misfit) => ({ ...misfit, error: TOO_MUCH_DATA })),
  ];
  // A row whose address comes again was taken, too: as if the contact had been written by each in turn.
  const updated = known - misfits.length + superseded;
  return {
    cursor: chunk.upTo,
    created,
    updated,
    success: created + updated,
    failed: refused + misfits.length,
    errors: errors.sort((a, b) => a.row - b.row),
  };
}
