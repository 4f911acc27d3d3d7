/**
 * Imports contacts from a file.
 *
 * The job's row is the source of truth: its cursor and counters are committed with the contacts of each chunk. This
 * workflow adds timers, retries, and a page in the Temporal Web UI. An import of 200 MB with the shortest rows calls
 * `importChunk` about 3,000 times, and so has 18,000 history events of the 51,200 that Temporal allows.
 */
import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { JobActivities } from '../activities/jobs.js';

export interface JobInput {
  jobId: string;
  projectId: string;
}

const retry = { initialInterval: '500ms', maximumInterval: '15s' } as const;
const quick = proxyLocalActivities<JobActivities>({ startToCloseTimeout: '30s', retry });
const { prepareImport } = proxyActivities<JobActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Read the file',
});
const { importChunk } = proxyActivities<JobActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Merge rows into the contacts',
});

export async function contactImport(job: JobInput): Promise<string> {
  try {
    if (!(await prepareImport(job))) return 'nothing to import';
    for (;;) {
      const chunk = await importChunk(job);
      if (chunk === null) return 'nothing to import';
      if (chunk === 'lost') {
        // A crash of the database has emptied the unlogged rows. The file still exists.
        if (!(await prepareImport(job))) return 'nothing to import';
        continue;
      }
      setCurrentDetails(`${chunk.cursor} of ${chunk.total} rows`);
      if (chunk.done) return `${chunk.total} rows`;
    }
  } catch (error) {
    // A cancellation in the Web UI, or an activity that has failed permanently and may have stored its reason.
    await CancellationScope.nonCancellable(() => (isCancellation(error) ? quick.cancelJob(job) : quick.failJob(job)));
    throw error;
  }
}
