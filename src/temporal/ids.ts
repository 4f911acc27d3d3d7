/** Names that the code and the operators share: workflow ids, task queues, search attributes. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** Each kind of work has slots of its own. `webhooks` has activities alone: the requests of executions. */
export const TASK_QUEUES = ['automation', 'webhooks', 'bulk', 'system'] as const;

/** Registered on the server: by the embedded one at its start, by hand on a cluster (see the operations guide). */
export const SEARCH_ATTRIBUTES = {
  projectId: defineSearchAttributeKey('ProjectId', SearchAttributeType.KEYWORD),
  resourceId: defineSearchAttributeKey('ResourceId', SearchAttributeType.KEYWORD),
  resourceKind: defineSearchAttributeKey('ResourceKind', SearchAttributeType.KEYWORD),
  /** Of an execution: the product's workflow, which is not Temporal's own `WorkflowId`. */
  sourceWorkflowId: defineSearchAttributeKey('SourceWorkflowId', SearchAttributeType.KEYWORD),
  contactId: defineSearchAttributeKey('ContactId', SearchAttributeType.KEYWORD),
};
