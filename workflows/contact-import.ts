/**
 * Imports contacts from a file.
 *
 * The job's row is the source of truth: its cursor and counters are committed with the contacts of each chunk. This
 * workflow adds timers, retries, and a page in the Temporal Web UI. An import of 200 MB with the shortest rows calls
 * `importChunk` about 3,000 times, and so has 18,000 history events of the 51,200 that Temporal allows.
 */
import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { JobActivities } from '../activities/jobs.js';
import { retry, runJob, type JobInput } from './job.js';

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

export function contactImport(job: JobInput): Promise<string> {
  return runJob(job, async () => {
    if (!(await prepareImport(job))) return null;
    for (;;) {
      const chunk = await importChunk(job);
      if (chunk === null) return null;
      if (chunk === 'lost') {
        // A crash of the database has emptied the unlogged rows. The file still exists.
        if (!(await prepareImport(job))) return null;
        continue;
      }
      setCurrentDetails(`${chunk.cursor} of ${chunk.total} rows`);
      if (chunk.done) return `${chunk.total} rows`;
    }
  });
}
