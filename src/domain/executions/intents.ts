/** The starts, signals, and cancellations of executions. Each execution has one Temporal workflow. */
import type { CancelIntent, SignalIntent, StartIntent } from '../../db/outbox.js';

/** The input of the Temporal workflow and of its activities. */
export interface ExecutionRef {
  executionId: string;
  projectId: string;
}

export interface StartedExecution {
  id: string;
  projectId: string;
  /** The workflow that a user designed. */
  workflowId: string;
  contactId: string;
}

export const executionWorkflowId = (executionId: string): string => `execution:${executionId}`;

/** Returns the same intent as the SQL function `execution_start`, which starts executions. */
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

/** @param reason for operators, in the Temporal Web UI */
export const executionCancel = (executionId: string, reason: string): CancelIntent => ({
  action: 'cancel',
  workflowId: executionWorkflowId(executionId),
  reason,
});

/** Tells the Temporal workflow to read its row again after another operation has changed it. */
export const executionPoke = (executionId: string): SignalIntent => ({
  action: 'signal',
  workflowId: executionWorkflowId(executionId),
  signal: 'poke',
});
