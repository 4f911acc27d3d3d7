/** Reads one execution, also with its history. Lists are in list.ts. */
import type { ApiContext } from '../../context.js';
import type { ExecutionStatus, StepType } from '../../generated/prisma/enums.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';

/** An execution as the API shows it (contract, section 7). */
export interface Execution {
  id: string;
  workflowId: string;
  contactId: string;
  status: ExecutionStatus;
  /** The current step, or the last one; null before the first step. */
  currentStepId: string | null;
  /** The reason of an EXIT, a failure, or a cancellation. */
  exitReason: string | null;
  context: unknown;
  startedAt: Date;
  completedAt: Date | null;
}

/** One step in an execution's history. */
export interface StepExecution {
  id: string;
  stepId: string;
  /** The type and name when the step was reached. The history outlives the step. */
  stepType: StepType;
  stepName: string;
  status: string;
  /** `summary` describes in one sentence what happened and why. */
  output: unknown;
  error: string | null;
  startedAt: Date;
  completedAt: Date | null;
  /** The end of a delay or of a wait's timeout. */
  wakeAt: Date | null;
}

export interface ExecutionWithHistory extends Execution {
  /** In the order in which the steps were reached. */
  stepExecutions: StepExecution[];
}

const COLUMNS = {
  id: true,
  workflowId: true,
  contactId: true,
  status: true,
  currentStepId: true,
  exitReason: true,
  context: true,
  startedAt: true,
  completedAt: true,
} as const;

const STEP_COLUMNS = {
  id: true,
  stepId: true,
  stepType: true,
  stepName: true,
  status: true,
  output: true,
  error: true,
  startedAt: true,
  completedAt: true,
  wakeAt: true,
} as const;

/** @throws WORKFLOW_NOT_FOUND, EXECUTION_NOT_FOUND (404), also for an execution of another workflow */
export async function findExecution(
  ctx: ApiContext,
  projectId: string,
  workflowId: string,
  id: string,
): Promise<Execution> {
  const execution =
    isId(workflowId) && isId(id)
      ? await ctx.prisma.workflowExecution.findUnique({
          where: { projectId_id: { projectId, id }, workflowId },
          select: COLUMNS,
        })
      : null;
  if (!execution) throw await notFoundIn(ctx, projectId, workflowId);
  return execution;
}

/**
 * Returns an execution with the history of its steps.
 *
 * @throws WORKFLOW_NOT_FOUND, EXECUTION_NOT_FOUND (404)
 */
export async function getExecution(
  ctx: ApiContext,
  projectId: string,
  workflowId: string,
  id: string,
): Promise<ExecutionWithHistory> {
  if (!isId(workflowId) || !isId(id)) throw await notFoundIn(ctx, projectId, workflowId);
  // One snapshot, so that an execution that has ended never appears with an open step, nor an active one without.
  const [execution, stepExecutions] = await ctx.prisma.$transaction(
    [
      ctx.prisma.workflowExecution.findUnique({
        where: { projectId_id: { projectId, id }, workflowId },
        select: COLUMNS,
      }),
      ctx.prisma.stepExecution.findMany({
        where: { projectId, executionId: id },
        select: STEP_COLUMNS,
        orderBy: [{ beganAt: 'asc' }, { id: 'asc' }],
      }),
    ],
    { isolationLevel: 'RepeatableRead' },
  );
  if (!execution) throw await notFoundIn(ctx, projectId, workflowId);
  return { ...execution, stepExecutions };
}

/** Returns the 404 of the workflow, or of the execution if the workflow exists. */
async function notFoundIn({ prisma }: ApiContext, projectId: string, workflowId: string): Promise<Error> {
  const workflow = isId(workflowId)
    ? await prisma.workflow.findUnique({ where: { projectId_id: { projectId, id: workflowId } }, select: { id: true } })
    : null;
  return notFound(workflow ? 'EXECUTION' : 'WORKFLOW');
}
