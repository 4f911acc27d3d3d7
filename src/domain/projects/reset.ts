/** `POST /users/@me/projects/:id/reset` */
import type { ApiContext } from '../../context.js';
import { clearDays } from '../analytics/sql/analytics.js';
import { MANAGERS, requireEnabled, requireRole } from './access.js';
import { emptyProject } from './empty.js';
import { readProject, type Project } from './projects.js';

const REASON = 'The project was reset';

/**
 * Deletes a project's contacts, templates, campaigns, segments, workflows, events, and emails (contract, section 2),
 * and cancels everything that runs. The project keeps its settings, keys, members, and domains. It also keeps its
 * suppressed addresses and the figures of its reputation, which protect recipients; analytics are reset. Running jobs
 * are kept and marked as canceled.
 *
 * If it is interrupted, nothing runs for the project, its workflows are disabled, and a part of its content is lost;
 * another call continues (empty.ts).
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER), PROJECT_DISABLED (403), SERVICE_UNAVAILABLE (503) if
 * another operation locks its rows for too long
 */
export async function resetProject(ctx: ApiContext, userId: string, id: string): Promise<Project> {
  const access = await requireRole(ctx, userId, id, MANAGERS);
  requireEnabled(access);
  await emptyProject(ctx, id, REASON, (tx) => clearDays(tx, id));
  return readProject(ctx, id, access.role);
}
