/** `GET /projects/:id/setup-state` */
import type { Context } from '../../context.js';
import { findSetupState, type SetupState } from './sql/setup-state.js';
import { notFound } from '../../errors.js';
import { MEMBERS, requireRole } from './access.js';

/**
 * Returns the state of a project's setup, for a dashboard's list of next steps.
 *
 * @throws PROJECT_NOT_FOUND (404) for a non-member
 */
export async function readSetupState(ctx: Context, userId: string, projectId: string): Promise<SetupState> {
  await requireRole(ctx, userId, projectId, MEMBERS);
  const state = await findSetupState(ctx.pool, projectId);
  if (!state) throw notFound('PROJECT');
  return state;
}
