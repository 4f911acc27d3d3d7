/**
 * Runs a bulk job in parts, each in one transaction with the job's cursor. The Temporal workflow `bulkJob` calls one
 * after the other.
 */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { prepareWideQuery } from '../../db/wide-query.js';
import { isId } from '../../ids.js';
import { contactsInSet, resolveContactQuery } from '../contact-queries/set.js';
import { advanceJob, lockOpenJob, setJobTotal, type JobAdvance, type JobRef, type JobRow } from '../jobs/sql.js';
import { withLockTimeout } from '../lock-timeout.js';
import { OPERATIONS } from './operations.js';
import { readBulkParams, type BulkParams } from './params.js';
import { PART_SIZE, storeMatches, takeParts } from './sql/contacts.js';

/** Contacts of one transaction of `POST /contacts/bulk-*`. */
const CHUNK_SIZE = 250;
/** A call runs parts of a longer job for about this long, because the call of an activity takes as long as a part. */
const MAX_CALL_MS = 1000;
/** A call runs one part of a job with at most as many contacts, so that it shows its progress. */
const MAX_SHORT_JOB = 1000;
/** Parts of one transaction that deletes. A page of the table of events has events of many contacts (delete_events.sql). */
const PARTS_OF_DELETION = 10;
const NOT_FOUND = 'Contact not found';

/**
 * Runs the next parts. A repeated call continues after the last commit.
 *
 * @returns null if the job is gone or has ended
 * @throws JobFault if the job cannot be done
 */
export async function runBulkChunk(ctx: Context, job: JobRef): Promise<JobAdvance | null> {
  const endMs = performance.now() + MAX_CALL_MS;
  for (;;) {
    const advance = await withLockTimeout(ctx.pool, (tx) => runPart(tx, job));
    ctx.wake('outbox');
    if (!advance || advance.done || advance.total <= MAX_SHORT_JOB || performance.now() >= endMs) return advance;
  }
}

async function runPart(tx: PoolClient, job: JobRef): Promise<JobAdvance | null> {
  const row = await lockOpenJob(tx, job);
  if (!row) return null;
  const params = readBulkParams(row.params);
  if (params.contactIds) {
    const ids = params.contactIds.slice(row.cursor, row.cursor + CHUNK_SIZE);
    return processContacts(tx, job, row, params, ids);
  }
  if (row.total === null) return storeContacts(tx, job, params);
  const parts = params.operation === 'delete' ? PARTS_OF_DELETION : 1;
  return processContacts(tx, job, row, params, await takeParts(tx, job, row.cursor / PART_SIZE, parts));
}

/** Stores the contacts that match the query when the job begins. Contacts that match later are not affected. */
async function storeContacts(
  tx: PoolClient,
  job: JobRef,
  { query = {}, except = [] }: BulkParams,
): Promise<JobAdvance> {
  await prepareWideQuery(tx);
  const clause = contactsInSet(await resolveContactQuery(tx, job.projectId, query));
  const total = await storeMatches(tx, job, clause, except);
  await setJobTotal(tx, job, total);
  return { done: false, cursor: 0, total };
}

async function processContacts(
  tx: PoolClient,
  job: JobRef,
  { cursor }: JobRow,
  params: BulkParams,
  ids: string[],
): Promise<JobAdvance> {
  const {
    done,
    skipped,
    failed = [],
  } = await OPERATIONS[params.operation](tx, job.projectId, ids.filter(isId), params);
  const found = new Set([...done, ...skipped, ...failed.map(({ contactId }) => contactId)]);
  const missing = ids.filter((id) => !found.has(id)).map((contactId) => ({ contactId, error: NOT_FOUND }));
  const errors = [...failed, ...missing];
  return advanceJob(tx, job, {
    cursor: cursor + ids.length,
    success: done.length,
    skipped: skipped.length,
    failed: errors.length,
    errors,
  });
}
