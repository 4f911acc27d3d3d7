/** Duplicates a workflow. */
import type { Context } from '../../context.js';
import { notFound } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { withLockTimeout } from '../lock-timeout.js';
import { readWorkflow, type Workflow } from './get.js';
import { lockGraph } from './sql/graph.js';
import { insertSteps, insertTransitions } from './sql/replace-graph.js';
import { insertWorkflowRow, selectWorkflow } from './sql/workflows.js';

const COPY_SUFFIX = ' (copy)';
/** As in `POST /workflows`. */
const MAX_NAME_LENGTH = 255;

/**
 * Creates a disabled copy with the same graph, named "… (copy)". It has no executions. The name is cut if it would be too long.
 *
 * @throws WORKFLOW_NOT_FOUND (404); SERVICE_UNAVAILABLE (503) if another transaction keeps the workflow locked
 */
export function duplicateWorkflow({ pool }: Context, projectId: string, id: string): Promise<Workflow> {
  if (!isId(id)) throw notFound('WORKFLOW');
  return withLockTimeout(pool, async (tx) => {
    // While the original's steps stay, the templates and segments that they use cannot be deleted.
    await lockGraph(tx, projectId, id);
    const original = await selectWorkflow(tx, projectId, id);
    if (!original) throw notFound('WORKFLOW');
    const copyId = newId();
    const stepIds = new Map(original.steps.map((step) => [step.id, newId()]));
    const copyOf = (stepId: string): string => stepIds.get(stepId) ?? '';
    const { description, eventName, allowReentry } = original;
    const copy = { id: copyId, projectId, name: nameCopy(original.name), description, eventName, allowReentry };
    await insertWorkflowRow(tx, copy);
    const at = { projectId, workflowId: copyId };
    await insertSteps(
      tx,
      at,
      original.steps.map((step) => ({ ...step, id: copyOf(step.id), workflowId: copyId })),
    );
    await insertTransitions(
      tx,
      at,
      original.transitions.map(({ fromStepId, toStepId, branch, priority }) => ({
        id: newId(),
        fromStepId: copyOf(fromStepId),
        toStepId: copyOf(toStepId),
        branch,
        priority,
      })),
    );
    return readWorkflow(tx, projectId, copyId);
  });
}

/** Cuts no character in two. */
function nameCopy(name: string): string {
  const start = name.slice(0, MAX_NAME_LENGTH - COPY_SUFFIX.length).replace(/[\uD800-\uDBFF]$/, '');
  return start + COPY_SUFFIX;
}
