/** Starts an execution through the API, without an event. */
import type { ApiContext } from '../../context.js';
import { insertExecution } from './sql/executions.js';
import { ApiError, conflict, notFound, validationError } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { withoutPrototypeNamesIn } from '../plain-json.js';
import { findExecution, type Execution } from './get.js';

/** In bytes of JSON, the same limit as for a contact's data. */
const MAX_CONTEXT_BYTES = 64 * 1024;

export interface StartInput {
  contactId: string;
  /** The variables of this execution; empty by default. */
  context?: Record<string, unknown>;
}

/**
 * Starts an execution of an enabled workflow. The row and the intent are committed together.
 *
 * @throws WORKFLOW_NOT_FOUND, CONTACT_NOT_FOUND (404); CONFLICT (409: the workflow is disabled, or its re-entry rule
 * forbids the start); VALIDATION_ERROR (422: the context exceeds 64 KiB); PROJECT_DISABLED (403: the project was
 * disabled after the request was authorized)
 */
export async function startForContact(
  ctx: ApiContext,
  projectId: string,
  workflowId: string,
  { contactId, context = {} }: StartInput,
): Promise<Execution> {
  if (!isId(workflowId)) throw notFound('WORKFLOW');
  if (Buffer.byteLength(JSON.stringify(context)) > MAX_CONTEXT_BYTES) {
    throw validationError([
      { field: 'context', message: `must be at most ${MAX_CONTEXT_BYTES / 1024} KiB of JSON`, code: 'too_big' },
    ]);
  }
  const id = newId();
  const outcome = await insertExecution(ctx.pool, {
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
      throw new ApiError('PROJECT_DISABLED', 'The project is disabled. Its security page shows the reason.');
    case 'workflow disabled':
      throw conflict('The workflow is disabled. Enable it before you start executions.');
    case 'active':
      throw conflict('The contact already has an active execution of this workflow.');
    case 'entered before':
      throw conflict(
        'The contact has already had an execution of this workflow, and the workflow does not allow re-entry.',
      );
    case 'started':
      ctx.wake('outbox');
      return findExecution(ctx, projectId, workflowId, id);
  }
}
