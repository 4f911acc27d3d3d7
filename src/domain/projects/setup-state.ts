/** `GET /projects/:id/setup-state` */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { notFound } from '../../errors.js';
import { MEMBERS, requireRole } from './access.js';

export interface SetupState {
  hasVerifiedDomain: boolean;
  contactCount: number;
  hasEnabledWorkflow: boolean;
  lastCampaignSentAt: Date | null;
  hasSubscription: boolean;
}

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

async function findSetupState(db: Queryable, projectId: string): Promise<SetupState | null> {
  const { rows } = await db.query<SetupState>({
    name: 'project-setup-state',
    text: `SELECT EXISTS (SELECT FROM domains WHERE project_id = p.id AND status = 'VERIFIED') AS "hasVerifiedDomain",
                  (SELECT count(*) FROM contacts WHERE project_id = p.id) AS "contactCount",
                  EXISTS (SELECT FROM workflows WHERE project_id = p.id AND enabled) AS "hasEnabledWorkflow",
                  (SELECT max(sent_at) FROM campaigns WHERE project_id = p.id) AS "lastCampaignSentAt",
                  p.stripe_subscription_id IS NOT NULL AS "hasSubscription"
             FROM projects p WHERE p.id = $1`,
    values: [projectId],
  });
  return rows[0] ?? null;
}
