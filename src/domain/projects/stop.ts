/** Cancels everything that runs for a project when it is disabled, reset, or deleted. */
import type { PoolClient } from 'pg';
import { cancelFreeEmails } from '../delivery/sql/campaigns.js';
import { enqueue, type CancelIntent } from '../../db/outbox.js';
import { cancelAutomationEmails, cancelCampaignsOf, busyWorkflowsOf } from './sql/stop.js';
import { lockProject } from './sql/projects.js';
import { campaignCancel } from '../campaigns/intents.js';
import { cancelPages } from '../executions/cancel.js';

/** The chunks of a campaign that this transaction cancels; the campaign's Temporal workflow cancels the rest. */
const MAX_CHUNKS_CANCELLED = 100;

/**
 * Cancels everything that runs for a project, in the caller's transaction: scheduled and sending campaigns with their
 * pending emails, and executions with their pending emails. Writes the intents that end their Temporal workflows.
 * Accepted transactional mail is still sent. A caller that disables the project sets `disabled` earlier or in the same
 * transaction.
 *
 * The project is locked FOR UPDATE, and writers of events, which can start executions, first lock it FOR KEY SHARE. So
 * their executions either exist already and are canceled, or the writers find the project disabled after the commit.
 *
 * The transaction must have a lock timeout (src/domain/lock-timeout.ts), and its caller wakes the outbox after the
 * commit.
 *
 * @param reason recorded in the history of the executions
 * @returns false if the project does not exist
 */
export async function stopProject(tx: PoolClient, projectId: string, reason: string): Promise<boolean> {
  if (!(await lockProject(tx, projectId))) return false;
  const campaigns = await cancelCampaignsOf(tx, projectId);
  await enqueue(
    tx,
    campaigns.map(({ id, attempt }): CancelIntent => campaignCancel(id, attempt, reason)),
  );
  for (const { id } of campaigns) await cancelFreeEmails(tx, id, MAX_CHUNKS_CANCELLED);
  for (const workflowId of await busyWorkflowsOf(tx, projectId)) await cancelPages(tx, workflowId, reason);
  await cancelAutomationEmails(tx, projectId, reason);
  return true;
}
