/** Canceling and failing a job. */
import type { Queryable } from '../../db/pool.js';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { dropExport } from '../exports/sql.js';
import { dropImport } from '../imports/sql.js';
import { closeJob, type JobRef } from './sql.js';

/** A permanent failure of a job. The message is a sentence for `failedReason`. */
export class JobFault extends Error {}

/** Cancels a job, after an operator canceled its workflow. Finished chunks stay and are in the result. */
export const cancelJob = (ctx: Context, job: JobRef): Promise<void> => close(ctx, job, 'cancelled', null);

/** @param reason a sentence for the user */
export const failJob = (ctx: Context, job: JobRef, reason: string): Promise<void> => close(ctx, job, 'failed', reason);

async function close(
  { pool }: Context,
  job: JobRef,
  state: 'cancelled' | 'failed',
  reason: string | null,
): Promise<void> {
  await transaction(pool, async (tx) => {
    // This waits for a running chunk, whose rows count.
    await closeJob(tx, job, state, reason);
    await dropJobFiles(tx, job);
  });
}

/** Deletes the file and the temporary rows of an import or an export that ends before its time. */
export async function dropJobFiles(tx: Queryable, job: JobRef): Promise<void> {
  await dropImport(tx, job);
  await dropExport(tx, job);
}
