/** What the Temporal workflows of jobs share. */
import {
  CancellationScope,
  CancelledFailure,
  isCancellation,
  proxyLocalActivities,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { JobActivities } from '../activities/jobs.js';

export interface JobInput {
  jobId: string;
  projectId: string;
}

/** The retries of all activities of jobs. */
export const retry = { initialInterval: '500ms', maximumInterval: '15s' } as const satisfies ActivityOptions['retry'];
const quick = proxyLocalActivities<JobActivities>({ startToCloseTimeout: '30s', retry });

/**
 * Runs the activities of a job. If they are canceled or fail, closes the job's row too.
 *
 * @param work resolves with the result of the workflow, or with null if the job is no longer active
 */
export async function runJob(job: JobInput, work: () => Promise<string | null>): Promise<string> {
  try {
    const result = await work();
    if (result !== null) return result;
    // An activity that finds its job canceled can end before the workflow learns of the cancellation.
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The job is no longer active');
    return 'nothing to do';
  } catch (error) {
    // A cancellation in the Web UI, or an activity that has failed permanently and may have stored its reason.
    await CancellationScope.nonCancellable(() => (isCancellation(error) ? quick.cancelJob(job) : quick.failJob(job)));
    throw error;
  }
}
