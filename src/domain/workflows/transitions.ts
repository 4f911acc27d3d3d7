/** Adds and deletes the transitions of a workflow. */
import type { Context } from '../../context.js';
import { deleteTransitionRow, insertTransition } from './sql/graph.js';
import { notFound } from '../../errors.js';
import { newId } from '../../ids.js';
import { editWorkflow, requireEditable, toGraphStep } from './edit.js';
import type { Transition } from './get.js';
import { checkGraph } from './graph.js';
import { findStep } from './steps.js';

export interface TransitionInput {
  fromStepId: string;
  toStepId: string;
  /** One of the step's branches (branchesOf). */
  branch: string | null;
  /** The position in lists. */
  priority: number;
}

/**
 * @throws WORKFLOW_NOT_FOUND, STEP_NOT_FOUND (404); BAD_REQUEST (400) that names the broken rule of the graph;
 * CONFLICT (409) while the workflow is enabled with active executions
 */
export function addTransition(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { fromStepId, toStepId, branch, priority }: TransitionInput,
): Promise<Transition> {
  return editWorkflow(ctx, projectId, workflowId, async (tx, workflow) => {
    const transition = {
      id: newId(),
      workflowId: workflow.id,
      fromStepId: findStep(workflow, fromStepId).id,
      toStepId: findStep(workflow, toStepId).id,
      branch,
      priority,
    };
    checkGraph({ steps: workflow.steps.map(toGraphStep), edges: [...workflow.transitions, transition] });
    await requireEditable(tx, workflow);
    return insertTransition(tx, projectId, transition);
  });
}

/**
 * @throws WORKFLOW_NOT_FOUND, TRANSITION_NOT_FOUND (404); CONFLICT (409) while the workflow is enabled with active
 * executions
 */
export async function deleteTransition(
  ctx: Context,
  projectId: string,
  workflowId: string,
  transitionId: string,
): Promise<void> {
  await editWorkflow(ctx, projectId, workflowId, async (tx, workflow) => {
    if (!workflow.transitions.some(({ id }) => id === transitionId.toLowerCase())) throw notFound('TRANSITION');
    await requireEditable(tx, workflow);
    await deleteTransitionRow(tx, transitionId);
  });
}
