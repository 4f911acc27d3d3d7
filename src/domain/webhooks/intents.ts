/** The intents of a webhook endpoint, which has one Temporal workflow as long as it exists. */
import type { CancelIntent, SignalIntent, StartIntent } from '../../db/outbox.js';

export interface EndpointRef {
  endpointId: string;
  projectId: string;
}

/** insert_deliveries writes the same ids. */
export const endpointWorkflowId = (endpointId: string): string => `webhook:${endpointId}`;

export const endpointStart = ({ endpointId, projectId }: EndpointRef): StartIntent => ({
  action: 'start',
  workflowId: endpointWorkflowId(endpointId),
  workflowType: 'webhookEndpoint',
  taskQueue: 'system',
  args: [{ endpointId, projectId }],
  projectId,
  resourceId: endpointId,
  resourceKind: 'webhook',
  summary: 'Deliveries to a webhook endpoint',
});

/** Lets the endpoint's Temporal workflow look for deliveries. */
export const endpointPoke = ({ endpointId, projectId }: EndpointRef): SignalIntent => ({
  action: 'signal',
  workflowId: endpointWorkflowId(endpointId),
  signal: 'poke',
  projectId,
});

export const endpointCancel = ({ endpointId, projectId }: EndpointRef): CancelIntent => ({
  action: 'cancel',
  workflowId: endpointWorkflowId(endpointId),
  reason: 'The endpoint was deleted',
  projectId,
});
