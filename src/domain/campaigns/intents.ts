/** The Temporal intents of a campaign. Each attempt has its own workflow, so rescheduling starts a new one. */
import type { CancelIntent, SignalIntent, StartIntent } from '../../db/outbox.js';

export interface CampaignRun {
  campaignId: string;
  projectId: string;
  attempt: number;
}

export const campaignWorkflowId = (campaignId: string, attempt: number): string => `campaign:${campaignId}:${attempt}`;

export const campaignStart = (run: CampaignRun, startAt: Date | null): StartIntent => ({
  action: 'start',
  workflowId: campaignWorkflowId(run.campaignId, run.attempt),
  workflowType: 'campaignSend',
  taskQueue: 'bulk',
  args: [run],
  projectId: run.projectId,
  resourceId: run.campaignId,
  resourceKind: 'campaign',
  summary: startAt ? `Send a campaign at ${startAt.toISOString()}` : 'Send a campaign now',
  ...(startAt && { startAt: startAt.toISOString() }),
});

/** Tells the workflow of a campaign to read its row again. */
export const campaignPoke = ({ campaignId, projectId, attempt }: CampaignRun): SignalIntent => ({
  action: 'signal',
  workflowId: campaignWorkflowId(campaignId, attempt),
  signal: 'poke',
  projectId,
});

export const campaignCancel = (campaignId: string, attempt: number, reason: string): CancelIntent => ({
  action: 'cancel',
  workflowId: campaignWorkflowId(campaignId, attempt),
  reason,
});
