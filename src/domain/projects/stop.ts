/** Ending what runs for a project, when it is disabled, reset or deleted. */
import type { PoolClient } from 'pg';
import { cancelPendingEmails } from '../campaigns/sql/campaigns.js';
import { enqueue, type CancelIntent } from '../../db/outbox.js';
import { cancelAutomationEmails, cancelCampaignsOf, busyWorkflowsOf } from './sql/stop.js';
import { lockProject } from './sql/projects.js';
import { campaignCancel } from '../campaigns/intents.js';
import { cancelPages } from '../executions/cancel.js';

/** As much of a campaign's queue as is worth waiting for; its Temporal workflow cancels the rest. */
const CANCELLED_AT_ONCE = 100_000;

/**
 * Cancels everything that runs for a project, in the caller's transaction: campaigns that are scheduled or being sent,
 * with the emails that are not handed over; executions, with automation mail that is not handed over. Each with the
 * intent that ends its Temporal workflow. Transactional mail that was accepted still goes out. Whoever disables a
 * project sets `disabled` before, or in the same transaction; `reason` is what the history of executions says.
 *
 * The project is held FOR UPDATE: whoever writes an event, and with it perhaps an execution, holds it FOR KEY SHARE
 * first. So what they write is there to be cancelled, or comes after the commit and finds the project disabled.
 *
 * The transaction must have a lock timeout (src/domain/lock-timeout.ts), and its caller wakes the outbox after the commit.
 *
 * @returns false when there is no such project
 */
export async function stopProject(tx: PoolClient, projectId: string, reason: string): Promise<boolean> {
  if (!(await lockProject(tx, projectId))) return false;
  const campaigns = await cancelCampaignsOf(tx, projectId);
  await enqueue(
    tx,
    campaigns.map(({ id, attempt }): CancelIntent => campaignCancel(id, attempt, reason)),
  );
  for (const { id } of campaigns) await cancelPendingEmails(tx, id, CANCELLED_AT_ONCE);
  for (const workflowId of await busyWorkflowsOf(tx, projectId)) await cancelPages(tx, workflowId, reason);
  await cancelAutomationEmails(tx, projectId, reason);
  return true;
}
