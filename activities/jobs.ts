/** Activities of `contactImport`, `bulkJob`, `exportJob`, and `webhookReplay`: thin calls into the domain. */
import { ApplicationFailure, activityInfo, heartbeat } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { isPassing } from '../src/db/errors.js';
import type { JobAdvance, JobRef } from '../src/domain/jobs/sql.js';
import { ApiError } from '../src/errors.js';
import { runBulkChunk } from '../src/domain/bulk/run.js';
import { runExport } from '../src/domain/exports/run.js';
import { prepareImport } from '../src/domain/imports/prepare.js';
import { importChunk } from '../src/domain/imports/run.js';
import { cancelJob, failJob, JobFault } from '../src/domain/jobs/close.js';
import { runReplay } from '../src/domain/webhooks/replay.js';

export type JobActivities = ReturnType<typeof createJobActivities>;

const HEARTBEAT_INTERVAL_MS = 2000;
/** Attempts before an error that is not transient fails the job: about two minutes. */
const MAX_UNEXPLAINED_FAILURES = 10;
const JOB_FAILED = 'An unexpected error stopped the job. The changes made before it are kept.';

export function createJobActivities(ctx: Context) {
  /**
   * Retries a transient error without limit, and any other error a few times, because the row that causes it does not
   * change.
   */
  const withRetryLimit = async <T>(job: JobRef, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof JobFault) {
        await failJob(ctx, job, error.message);
        throw ApplicationFailure.nonRetryable('The job cannot be done', 'JobFault');
      }
      if (isPassing(error) || error instanceof ApiError || activityInfo().attempt < MAX_UNEXPLAINED_FAILURES)
        throw error;
      ctx.log.error({ err: error, jobId: job.jobId, projectId: job.projectId }, 'Jobs: a job failed');
      throw ApplicationFailure.nonRetryable('The job failed', 'JobFailed');
    }
  };

  /** Lets the server detect within seconds that the worker has stopped. */
  const withHeartbeat = async <T>(job: JobRef, work: () => Promise<T>): Promise<T> => {
    const beat = setInterval(() => heartbeat(), HEARTBEAT_INTERVAL_MS);
    try {
      return await withRetryLimit(job, work);
    } finally {
      clearInterval(beat);
    }
  };

  return {
    prepareImport: (job: JobRef): Promise<boolean> => withHeartbeat(job, () => prepareImport(ctx, job)),
    importChunk: (job: JobRef): Promise<JobAdvance | 'lost' | null> => withHeartbeat(job, () => importChunk(ctx, job)),
    runBulkChunk: (job: JobRef): Promise<JobAdvance | null> => withHeartbeat(job, () => runBulkChunk(ctx, job)),
    runExport: (job: JobRef): Promise<JobAdvance | null> => withHeartbeat(job, () => runExport(ctx, job)),
    runReplay: (job: JobRef): Promise<JobAdvance | null> => withHeartbeat(job, () => runReplay(ctx, job)),
    cancelJob: (job: JobRef): Promise<void> => cancelJob(ctx, job),
    failJob: (job: JobRef): Promise<void> => failJob(ctx, job, JOB_FAILED),
  };
}
