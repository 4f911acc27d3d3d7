/**
 * A contact import.
 *
 * The job's row is the truth: how far it has come, and what it counted, is committed with the contacts that it made.
 * This workflow gives the run its clock, its retries and its place in the Temporal Web UI. At most 150 chunks: a
 * history of a thousand events.
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
        // The database has crashed and lost the rows; the file is still there.
        if (!(await prepareImport(job))) return 'nothing to import';
        continue;
      }
      setCurrentDetails(`${chunk.cursor} of ${chunk.total} rows`);
      if (chunk.done) return `${chunk.total} rows`;
    }
  } catch (error) {
    // Cancelled in the Web UI: the row learns of it here. Anything else is an activity that has given up, and may have
    // said why.
    await CancellationScope.nonCancellable(() => (isCancellation(error) ? quick.cancelJob(job) : quick.failJob(job)));
    throw error;
  }
}
