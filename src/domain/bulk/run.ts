/**
 * A bulk job's run, in chunks: each one transaction, with the job's cursor in it. The Temporal workflow `bulkJob` calls
 * them in turn.
 */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { setSubscriptions } from '../contacts/sql/bulk.js';
import { insertEvents, subscriptionEvent } from '../events/insert.js';
import { advanceJob, lockOpenJob, type JobAdvance, type JobRef } from '../jobs/sql.js';
import { isId } from '../../ids.js';
import { removeContacts } from '../contacts/delete.js';
import { givingWay } from '../give-way.js';
import { readBulkParams, type BulkOperation } from './params.js';

const CHUNK = 250;
const NOT_FOUND = 'Contact not found';

/** What became of the ids of a chunk: of those that were found, by whether there was something to do. */
interface Outcome {
  done: string[];
  skipped: string[];
}

/**
 * Does the next chunk; a repeat goes on where the last one committed.
 *
 * @returns null when there is nothing to do: the job is gone or has ended
 */
export async function runBulkChunk({ pool, wake }: Context, job: JobRef): Promise<JobAdvance | null> {
  const advance = await givingWay(pool, async (tx) => {
    const row = await lockOpenJob(tx, job);
    if (!row) return null;
    const { operation, contactIds } = readBulkParams(row.params);
    const ids = contactIds.slice(row.cursor, row.cursor + CHUNK);
    const { done, skipped } = await OPERATIONS[operation](tx, job.projectId, ids.filter(isId));
    const found = new Set([...done, ...skipped]);
    const errors = ids.filter((id) => !found.has(id)).map((contactId) => ({ contactId, error: NOT_FOUND }));
    return advanceJob(tx, job, {
      cursor: row.cursor + ids.length,
      success: done.length,
      skipped: skipped.length,
      failed: errors.length,
      errors,
    });
  });
  wake('outbox');
  return advance;
}

const OPERATIONS: Record<BulkOperation, (tx: PoolClient, projectId: string, ids: string[]) => Promise<Outcome>> = {
  subscribe: (tx, projectId, ids) => subscribe(tx, projectId, ids, true),
  unsubscribe: (tx, projectId, ids) => subscribe(tx, projectId, ids, false),
  delete: async (tx, projectId, ids) => ({ done: await removeContacts(tx, projectId, ids), skipped: [] }),
};

async function subscribe(tx: PoolClient, projectId: string, ids: string[], subscribed: boolean): Promise<Outcome> {
  const held = await setSubscriptions(tx, projectId, ids, subscribed);
  await insertEvents(
    tx,
    held.filter(({ flipped }) => flipped).map(({ id }) => subscriptionEvent(projectId, id, subscribed, 'bulk')),
  );
  return {
    done: held.filter(({ changed }) => changed).map(({ id }) => id),
    skipped: held.filter(({ changed }) => !changed).map(({ id }) => id),
  };
}
