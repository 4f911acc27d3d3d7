/**
 * A bulk job: up to 1,000 contacts subscribed, unsubscribed or deleted, in a few short transactions, each with the
 * job's cursor in it.
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
// Not a local one: where its contacts are held for long, it would keep a worker from stopping.
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
