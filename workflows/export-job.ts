/** Exports rows to a file. Each call of the activity commits parts of the file with the position in the rows. */
import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { JobActivities } from '../activities/jobs.js';
import { retry, runJob, type JobInput } from './job.js';

const { runExport } = proxyActivities<JobActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Write rows to the file',
});

export function exportJob(job: JobInput): Promise<string> {
  return runJob(job, async () => {
    for (;;) {
      const chunk = await runExport(job);
      if (chunk === null) return null;
      setCurrentDetails(`${chunk.cursor} of about ${chunk.total} rows`);
      if (chunk.done) return `${chunk.total} rows`;
    }
  });
}
