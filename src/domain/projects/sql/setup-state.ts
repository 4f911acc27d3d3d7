/** The state of a project's setup. */
import type { Queryable } from '../../../db/pool.js';

export interface SetupState {
  hasVerifiedDomain: boolean;
  contactCount: number;
  hasEnabledWorkflow: boolean;
  lastCampaignSentAt: Date | null;
  hasSubscription: boolean;
}

/** Returns the state of a project's setup, or null if the project does not exist. */
export async function findSetupState(db: Queryable, projectId: string): Promise<SetupState | null> {
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
