/**
 * A bulk job: changes many contacts in short transactions. Each of them also
 * commits the job's cursor.
 */
import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { JobActivities } from '../activities/jobs.js';
import type { JobInput } from './contact-import.js';

const retry = { initialInterval: '500ms', maximumInterval: '15s' } as const;
const quick = proxyLocalActivities<JobActivities>({ startToCloseTimeout: '30s', retry });
// Not a local activity: if its contacts stay locked for long, a local one would keep the worker from stopping.
const { runBulkChunk } = proxyActivities<JobActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Change contacts',
});

export async function bulkJob(job: JobInput): Promise<string> {
  try {
    for (;;) {
      const chunk = await runBulkChunk(job);
      if (chunk === null) return 'nothing to do';
      setCurrentDetails(`${chunk.cursor} of ${chunk.total} contacts`);
      if (chunk.done) return `${chunk.total} contacts`;
    }
  } catch (error) {
    await CancellationScope.nonCancellable(() => (isCancellation(error) ? quick.cancelJob(job) : quick.failJob(job)));
    throw error;
  }
}
