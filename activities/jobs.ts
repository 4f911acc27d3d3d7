/** Activities of `contactImport` and `bulkJob`: thin calls into the domain. */
import { ApplicationFailure, activityInfo, heartbeat } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { isPassing } from '../src/db/pool.js';
import type { JobAdvance, JobRef } from '../src/domain/jobs/sql.js';
import { ApiError } from '../src/errors.js';
import { runBulkChunk } from '../src/domain/bulk/run.js';
import { prepareImport } from '../src/domain/imports/prepare.js';
import { importChunk } from '../src/domain/imports/run.js';
import { cancelJob, failJob } from '../src/domain/jobs/close.js';
import { JobFault } from '../src/domain/jobs/fault.js';

export type JobActivities = ReturnType<typeof createJobActivities>;

const HEARTBEAT = 2000;
/** Failures in a row of one step that nothing explains: about two minutes. */
const PATIENCE = 10;
const FAILED = 'An unexpected error stopped the job. What it had done until then stays.';

export function createJobActivities(ctx: Context) {
  /**
   * An error that time may mend is tried again for as long as it takes; any other a few times, since the row that it
   * meets stays the same.
   */
  const patiently = async <T>(job: JobRef, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof JobFault) {
        await failJob(ctx, job, error.message);
        throw ApplicationFailure.nonRetryable('The job is impossible', 'JobFault');
      }
      if (isPassing(error) || error instanceof ApiError || activityInfo().attempt < PATIENCE) throw error;
      ctx.log.error({ err: error, jobId: job.jobId, projectId: job.projectId }, 'A job failed');
      throw ApplicationFailure.nonRetryable('The job failed', 'JobFailed');
    }
  };

  /** The server hears of a worker that dies within seconds. */
  const beating = async <T>(job: JobRef, work: () => Promise<T>): Promise<T> => {
    const beat = setInterval(() => heartbeat(), HEARTBEAT);
    try {
      return await patiently(job, work);
    } finally {
      clearInterval(beat);
    }
  };

  return {
    prepareImport: (job: JobRef): Promise<boolean> => beating(job, () => prepareImport(ctx, job)),
    importChunk: (job: JobRef): Promise<JobAdvance | 'lost' | null> => beating(job, () => importChunk(ctx, job)),
    runBulkChunk: (job: JobRef): Promise<JobAdvance | null> => beating(job, () => runBulkChunk(ctx, job)),
    cancelJob: (job: JobRef): Promise<void> => cancelJob(ctx, job),
    failJob: (job: JobRef): Promise<void> => failJob(ctx, job, FAILED),
  };
}
