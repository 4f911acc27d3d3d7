/** `GET /projects/:id/setup-state` */
import type { ApiContext } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { notFound } from '../../errors.js';
import { MEMBERS, requireRole } from './access.js';

export interface SetupState {
  hasVerifiedDomain: boolean;
  contactCount: number;
  hasEnabledWorkflow: boolean;
  lastCampaignSentAt: Date | null;
  hasSubscription: boolean;
  firstEmailSentAt: Date | null;
  firstEventAt: Date | null;
  secretKeyLastUsedAt: Date | null;
  publicKeyLastUsedAt: Date | null;
}

/**
 * Returns the state of a project's setup, for a dashboard's list of next steps.
 *
 * @throws PROJECT_NOT_FOUND (404) for a non-member
 */
export async function readSetupState(ctx: ApiContext, userId: string, projectId: string): Promise<SetupState> {
  await requireRole(ctx, userId, projectId, MEMBERS);
  const state = await findSetupState(ctx.pool, projectId);
  if (!state) throw notFound('PROJECT');
  return state;
}

/** The names of a project's events, each found with one index lookup, and the first event of each unreserved name. */
const FIRST_EVENT = `
WITH RECURSIVE names AS (
  (SELECT name FROM events WHERE project_id = $1 ORDER BY name LIMIT 1)
  UNION ALL
  SELECT (SELECT e.name FROM events e WHERE e.project_id = $1 AND e.name > n.name ORDER BY e.name LIMIT 1)
    FROM names n WHERE n.name IS NOT NULL
)
SELECT min(first.created_at)
  FROM names n
 CROSS JOIN LATERAL (SELECT created_at FROM events
                      WHERE project_id = $1 AND name = n.name ORDER BY created_at LIMIT 1) AS first
 WHERE n.name !~ '^(email\\..*|contact\\.(un)?subscribed|segment\\.[^.]+\\.(entry|exit))$'`;

async function findSetupState(db: Queryable, projectId: string): Promise<SetupState | null> {
  const { rows } = await db.query<SetupState>({
    name: 'project-setup-state',
    text: `SELECT EXISTS (SELECT FROM domains WHERE project_id = p.id AND status = 'VERIFIED') AS "hasVerifiedDomain",
                  (SELECT count(*) FROM contacts WHERE project_id = p.id) AS "contactCount",
                  EXISTS (SELECT FROM workflows WHERE project_id = p.id AND enabled) AS "hasEnabledWorkflow",
                  (SELECT max(sent_at) FROM campaigns WHERE project_id = p.id) AS "lastCampaignSentAt",
                  p.stripe_subscription_id IS NOT NULL AS "hasSubscription",
                  (SELECT created_at FROM events WHERE project_id = $1 AND name = 'email.sent'
                    ORDER BY created_at LIMIT 1) AS "firstEmailSentAt",
                  (${FIRST_EVENT}) AS "firstEventAt",
                  (SELECT last_used_at FROM key_uses WHERE project_id = p.id AND kind = 'secret') AS "secretKeyLastUsedAt",
                  (SELECT last_used_at FROM key_uses WHERE project_id = p.id AND kind = 'public') AS "publicKeyLastUsedAt"
             FROM projects p WHERE p.id = $1`,
    values: [projectId],
  });
  return rows[0] ?? null;
}
