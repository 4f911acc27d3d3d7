/** What a domain asks of Temporal: one workflow, for as long as the domain is there. */
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
