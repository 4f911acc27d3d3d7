/** The intents of a domain, which has one Temporal workflow as long as it exists. */
import type { StartIntent } from '../../db/outbox.js';

export const domainWorkflowId = (id: string): string => `domain:${id}`;

export const domainStart = ({
  id,
  projectId,
  domain,
}: {
  id: string;
  projectId: string;
  domain: string;
}): StartIntent => ({
  action: 'start',
  workflowId: domainWorkflowId(id),
  workflowType: 'domainVerification',
  taskQueue: 'system',
  args: [{ domainId: id, projectId }],
  projectId,
  resourceId: id,
  resourceKind: 'domain',
  summary: `Verification of ${domain}`,
});
