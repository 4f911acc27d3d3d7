/** Runs a bulk job in chunks, each in one transaction. The Temporal workflow `bulkJob` calls one after the other. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { setSubscriptions } from '../contacts/sql/bulk.js';
import { insertEvents, subscriptionEvent } from '../events/insert.js';
import { advanceJob, lockOpenJob, type JobAdvance, type JobRef } from '../jobs/sql.js';
import { isId } from '../../ids.js';
import { removeContacts } from '../contacts/delete.js';
import { withLockTimeout } from '../lock-timeout.js';
import { readBulkParams, type BulkOperation } from './params.js';

/** Contacts of one transaction. */
const CHUNK_SIZE = 250;
const NOT_FOUND = 'Contact not found';

/** The existing contacts of a chunk, by whether they changed. */
interface Outcome {
  done: string[];
  skipped: string[];
}

/**
 * Runs the next chunk, in one transaction with the job's cursor. A repeated call continues after the last commit.
 *
 * @returns null if the job is gone or has ended
 */
export async function runBulkChunk({ pool, wake }: Context, job: JobRef): Promise<JobAdvance | null> {
  const advance = await withLockTimeout(pool, async (tx) => {
    const row = await lockOpenJob(tx, job);
    if (!row) return null;
    const { operation, contactIds } = readBulkParams(row.params);
    const ids = contactIds.slice(row.cursor, row.cursor + CHUNK_SIZE);
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
  subscribe: (tx, projectId, ids) => setSubscribed(tx, projectId, ids, true),
  unsubscribe: (tx, projectId, ids) => setSubscribed(tx, projectId, ids, false),
  delete: async (tx, projectId, ids) => ({ done: await removeContacts(tx, projectId, ids), skipped: [] }),
};

async function setSubscribed(tx: PoolClient, projectId: string, ids: string[], subscribed: boolean): Promise<Outcome> {
  const contacts = await setSubscriptions(tx, projectId, ids, subscribed);
  await insertEvents(
    tx,
    contacts.filter(({ flipped }) => flipped).map(({ id }) => subscriptionEvent(projectId, id, subscribed, 'bulk')),
  );
  return {
    done: contacts.filter(({ changed }) => changed).map(({ id }) => id),
    skipped: contacts.filter(({ changed }) => !changed).map(({ id }) => id),
  };
}
