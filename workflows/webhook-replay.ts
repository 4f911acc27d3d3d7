/** Puts the deliveries of a replay into the queue of its webhook endpoint, whose own workflow delivers them. */
import { proxyActivities } from '@temporalio/workflow';
import type { JobActivities } from '../activities/jobs.js';
import { retry, runJob, type JobInput } from './job.js';

const { runReplay } = proxyActivities<JobActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry,
  summary: 'Queue deliveries',
});

export function webhookReplay(job: JobInput): Promise<string> {
  return runJob(job, async () => {
    const replayed = await runReplay(job);
    return replayed === null ? null : `${replayed.total} deliveries`;
  });
}
