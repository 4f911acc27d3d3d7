/** `POST /workflows/:id/executions`: a contact begins its way through a workflow, without an event. */
import type { Context } from '../../context.js';
import { startExecution } from './sql/executions.js';
import { ApiError, conflict, notFound, validationError } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { withoutPrototypeNamesIn } from '../plain-json.js';
import { findExecution, type Execution } from './get.js';

/** In bytes of JSON, as for a contact's data. */
const MAX_CONTEXT = 64 * 1024;

export interface StartInput {
  contactId: string;
  /** Variables of this execution. */
  context?: Record<string, unknown>;
}

/**
 * Starts an execution of an enabled workflow. Row and intent are committed together.
 *
 * @throws WORKFLOW_NOT_FOUND, CONTACT_NOT_FOUND (404); CONFLICT (409: the workflow is disabled, or its re-entry rule
 * forbids it); VALIDATION_ERROR (422: the context is larger than 64 KiB); PROJECT_DISABLED (403: it was disabled since
 * the request was let in)
 */
export async function startForContact(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { contactId, context = {} }: StartInput,
): Promise<Execution> {
  if (!isId(workflowId)) throw notFound('WORKFLOW');
  if (Buffer.byteLength(JSON.stringify(context)) > MAX_CONTEXT) {
    throw validationError([
      { field: 'context', message: `must be at most ${MAX_CONTEXT / 1024} KiB of JSON`, code: 'too_big' },
    ]);
  }
  const id = newId();
  const outcome = await startExecution(ctx.pool, {
    id,
    projectId,
    workflowId,
    contactId: isId(contactId) ? contactId : null,
    context: withoutPrototypeNamesIn(context),
  });
  switch (outcome) {
    case 'no workflow':
      throw notFound('WORKFLOW');
    case 'no contact':
      throw notFound('CONTACT');
    case 'project disabled':
      throw new ApiError('PROJECT_DISABLED', 'This project is disabled; see its security page.');
    case 'workflow disabled':
      throw conflict('The workflow is disabled: enable it before you start executions.');
    case 'active':
      throw conflict('The contact is on its way through this workflow already.');
    case 'entered before':
      throw conflict('The contact has been through this workflow, which does not allow re-entry.');
    case 'started':
      ctx.wake('outbox');
      return findExecution(ctx, projectId, workflowId, id);
  }
}
