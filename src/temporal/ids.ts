/** Names that operators see: task queues and search attributes. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** Each task queue has its own slots. `webhooks` has only activities: the requests of executions. */
export const TASK_QUEUES = ['automation', 'webhooks', 'bulk', 'system'] as const;

/** Must be registered on the server. The embedded server registers them itself; for others, see docs/operations.md. */
export const SEARCH_ATTRIBUTES = {
  projectId: defineSearchAttributeKey('ProjectId', SearchAttributeType.KEYWORD),
  resourceId: defineSearchAttributeKey('ResourceId', SearchAttributeType.KEYWORD),
  resourceKind: defineSearchAttributeKey('ResourceKind', SearchAttributeType.KEYWORD),
  /** The product's workflow of an execution, as opposed to Temporal's own `WorkflowId`. */
  sourceWorkflowId: defineSearchAttributeKey('SourceWorkflowId', SearchAttributeType.KEYWORD),
  contactId: defineSearchAttributeKey('ContactId', SearchAttributeType.KEYWORD),
};

/** All of them are keywords. */
export const SEARCH_ATTRIBUTE_NAMES = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);
