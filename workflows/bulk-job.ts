/**
 * A bulk job: changes many contacts in short transactions. Each of them also
 * commits the job's cursor.
 */
import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { JobActivities } from '../activities/jobs.js';
import { retry, runJob, type JobInput } from './job.js';

// Not a local activity: if its contacts stay locked for long, a local one would keep the worker from stopping.
const { runBulkChunk } = proxyActivities<JobActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Change contacts',
});

export function bulkJob(job: JobInput): Promise<string> {
  return runJob(job, async () => {
    for (;;) {
      const chunk = await runBulkChunk(job);
      if (chunk === null) return null;
      setCurrentDetails(`${chunk.cursor} of ${chunk.total} contacts`);
      if (chunk.done) return `${chunk.total} contacts`;
    }
  });
}
