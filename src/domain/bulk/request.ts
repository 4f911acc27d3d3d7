/** `POST /contacts/bulk-*`. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { insertJob } from '../jobs/sql.js';
import { enqueue } from '../../db/outbox.js';
import { isId, newId } from '../../ids.js';
import { jobStart } from '../jobs/intents.js';
import type { BulkOperation, BulkParams } from './params.js';

/**
 * Queues a bulk job. Its row and the start of its workflow are committed together. Duplicate ids, compared
 * case-insensitively, are skipped.
 *
 * @param createdBy the user of the session; null for a key
 * @returns the job's id
 */
export async function requestBulk(
  { pool, wake }: Context,
  projectId: string,
  operation: BulkOperation,
  contactIds: string[],
  createdBy: string | null = null,
): Promise<string> {
  const job = { jobId: newId(), projectId };
  const distinct = [...new Set(contactIds.map((id) => (isId(id) ? id.toLowerCase() : id)))];
  const params: BulkParams = { operation, contactIds: distinct, requested: contactIds.length };
  await transaction(pool, async (tx) => {
    await insertJob(tx, {
      ...job,
      kind: 'BULK',
      operation,
      createdBy,
      params: { ...params },
      total: distinct.length,
      skippedCount: contactIds.length - distinct.length,
    });
    await enqueue(tx, [jobStart(job, 'BULK')]);
  });
  wake('outbox');
  return job.jobId;
}
