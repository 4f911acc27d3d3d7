/** `DELETE /jobs/:id`. */
import type { Context } from '../../context.js';
import { enqueue } from '../../db/outbox.js';
import { conflict, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { withLockTimeout } from '../lock-timeout.js';
import { dropJobFiles } from './close.js';
import { getJob, type AnyJob } from './get.js';
import { jobStart } from './intents.js';
import { closeJob, lockJob } from './sql.js';

const REASON = 'The job was canceled';

/**
 * Cancels a job, and returns it. It waits for the chunk in progress, whose changes stay and are in the result; no other
 * chunk begins. The row and the cancellation of its Temporal workflow are committed together.
 *
 * @throws JOB_NOT_FOUND (404), CONFLICT (409) if the job has ended, SERVICE_UNAVAILABLE (503) if its row stays locked
 */
export async function cancelJobByUser(ctx: Context, projectId: string, jobId: string): Promise<AnyJob> {
  if (!isId(jobId)) throw notFound('JOB');
  const job = { jobId, projectId };
  await withLockTimeout(ctx.pool, async (tx) => {
    const row = await lockJob(tx, job);
    if (!row) throw notFound('JOB');
    if (!(await closeJob(tx, job, 'cancelled', null)))
      throw conflict(`The job has ended as ${row.state}. Only waiting and active jobs can be canceled.`);
    await dropJobFiles(tx, job);
    const { workflowId } = jobStart(job, row.kind);
    await enqueue(tx, [{ action: 'cancel', workflowId, reason: REASON, projectId }]);
  });
  ctx.wake('outbox');
  return getJob(ctx, projectId, jobId);
}
