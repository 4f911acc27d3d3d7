/** `GET /projects/:id/setup-state` */
import type { Context } from '../../context.js';
import { findSetupState, type SetupState } from './sql/setup-state.js';
import { notFound } from '../../errors.js';
import { MEMBERS, requireRole } from './access.js';

/**
 * How far a project has been set up, for a dashboard's list of what to do next.
 *
 * @throws PROJECT_NOT_FOUND (404) for anybody but a member
 */
export async function readSetupState(ctx: Context, userId: string, projectId: string): Promise<SetupState> {
  await requireRole(ctx, userId, projectId, MEMBERS);
  const state = await findSetupState(ctx.pool, projectId);
  if (!state) throw notFound('PROJECT');
  return state;
}
