/** Puts the deliveries of a replay into the queue of its webhook endpoint, whose own workflow delivers them. */
import { CancellationScope, isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { JobActivities } from '../activities/jobs.js';
import type { JobInput } from './contact-import.js';

const retry = { initialInterval: '500ms', maximumInterval: '15s' } as const;
const quick = proxyLocalActivities<JobActivities>({ startToCloseTimeout: '30s', retry });
const { runReplay } = proxyActivities<JobActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Queue deliveries',
});

export async function webhookReplay(job: JobInput): Promise<string> {
  try {
    const replayed = await runReplay(job);
    return replayed === null ? 'nothing to do' : `${replayed.total} deliveries`;
  } catch (error) {
    await CancellationScope.nonCancellable(() => (isCancellation(error) ? quick.cancelJob(job) : quick.failJob(job)));
    throw error;
  }
}
