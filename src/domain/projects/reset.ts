/** `POST /users/@me/projects/:id/reset` */
import type { Context } from '../../context.js';
import { clearDays } from '../analytics/sql/analytics.js';
import { MANAGERS, requireEnabled, requireRole } from './access.js';
import { emptyProject } from './empty.js';
import { readProject, type Project } from './projects.js';

const REASON = 'The project was reset';

/**
 * Deletes what a project's users have made (contract, section 2: contacts, templates, campaigns, segments, workflows,
 * events, emails), and ends what runs. The project stays, with its settings, keys, members and domains, and with what
 * protects others from its mail: the suppressed addresses and the figures that its reputation is judged by; analytics
 * begin anew. Jobs that were under way stay as cancelled ones.
 *
 * If it is cut short, the project runs nothing any more, its workflows are disabled, and a part of its content is gone;
 * another call goes on (empty.ts).
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER), PROJECT_DISABLED (403), SERVICE_UNAVAILABLE (503) while
 * its rows are held by something that takes long
 */
export async function resetProject(ctx: Context, userId: string, id: string): Promise<Project> {
  requireEnabled(await requireRole(ctx, userId, id, MANAGERS));
  await emptyProject(ctx, id, REASON, (tx) => clearDays(tx, id));
  return readProject(ctx, id);
}
