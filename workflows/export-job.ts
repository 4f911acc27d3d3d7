/** Exports rows to a file. Each call of the activity commits parts of the file with the position in the rows. */
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
const { runExport } = proxyActivities<JobActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Write rows to the file',
});

export async function exportJob(job: JobInput): Promise<string> {
  try {
    for (;;) {
      const chunk = await runExport(job);
      if (chunk === null) return 'nothing to export';
      setCurrentDetails(`${chunk.cursor} of about ${chunk.total} rows`);
      if (chunk.done) return `${chunk.total} rows`;
    }
  } catch (error) {
    await CancellationScope.nonCancellable(() => (isCancellation(error) ? quick.cancelJob(job) : quick.failJob(job)));
    throw error;
  }
}
