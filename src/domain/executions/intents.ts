/** What an execution asks of Temporal: one workflow per execution, all its life. */
import type { CancelIntent, SignalIntent, StartIntent } from '../../db/outbox.js';

/** The input of the Temporal workflow and of its activities. */
export interface ExecutionRef {
  executionId: string;
  projectId: string;
}

export interface StartedExecution {
  id: string;
  projectId: string;
  /** The workflow that a user drew. */
  workflowId: string;
  contactId: string;
}

export const executionWorkflowId = (executionId: string): string => `execution:${executionId}`;

/**
 * The same as `execution_start` of the database, with which events start executions (migration
 * 20261121140000_workflows).
 */
export const executionStart = ({ id, projectId, workflowId, contactId }: StartedExecution): StartIntent => ({
  action: 'start',
  workflowId: executionWorkflowId(id),
  workflowType: 'workflowExecution',
  taskQueue: 'automation',
  args: [{ executionId: id, projectId } satisfies ExecutionRef],
  projectId,
  resourceId: id,
  resourceKind: 'execution',
  sourceWorkflowId: workflowId,
  contactId,
  summary: 'A contact on its way through a workflow',
});

/** @param reason for operators, in Temporal's Web UI */
export const executionCancel = (executionId: string, reason: string): CancelIntent => ({
  action: 'cancel',
  workflowId: executionWorkflowId(executionId),
  reason,
});

/** "Look at your row": after a change of the row that the Temporal workflow did not make itself. */
export const executionPoke = (executionId: string): SignalIntent => ({
  action: 'signal',
  workflowId: executionWorkflowId(executionId),
  signal: 'poke',
});
