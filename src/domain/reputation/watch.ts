/** Critical projects are disabled (contract, section 2, "Security"), seconds after the feedback that made them so. */
import type { Context } from '../../context.js';
import { cancelTransactionalEmails, busyWorkflowsOf, holdProject } from '../projects/sql/stop.js';
import { lockProject } from '../projects/sql/projects.js';
import { deleteSuspects, disableProject, selectReputations, selectSuspects, type ReputationRow } from './sql.js';
import { startLoop, type Loop } from '../../loop.js';
import { cancelPages } from '../executions/cancel.js';
import { givingWay, retryingDeadlocks } from '../give-way.js';
import { stopProject } from '../projects/stop.js';
import { whatIsCritical } from './levels.js';

/** News of one look. */
const NEWS = 10_000;
/** Between two looks, in milliseconds: one without news is one query. */
const EVERY = 2000;
const STOPPED = 'The project was disabled for its reputation';

/**
 * Looks at the projects with new bounces and complaints, and disables those that are critical. The news of a project go
 * when all is done, and not before: what is cut short, by a killed worker or by rows that are held, is done in the next
 * look.
 *
 * @throws what the last project threw that could not be stopped, when all others are done
 */
export async function watchReputation(ctx: Context): Promise<void> {
  const failed: string[] = [];
  let failure: unknown;
  for (;;) {
    const suspects = await selectSuspects(ctx.pool, NEWS, failed);
    if (suspects.length === 0) break;
    const rows = ctx.config.AUTO_PROJECT_DISABLE
      ? await selectReputations(
          ctx.pool,
          suspects.map(({ projectId }) => projectId),
        )
      : [];
    for (const row of rows) {
      try {
        // One that is disabled may have been so by a look that got no further.
        if (row.disabled || (await disable(ctx, row))) await stop(ctx, row.projectId);
      } catch (error) {
        failed.push(row.projectId);
        failure = error;
      }
    }
    await deleteSuspects(
      ctx.pool,
      suspects.flatMap(({ projectId, ids }) => (failed.includes(projectId) ? [] : ids)),
    );
  }
  if (failed.length > 0) throw failure;
}

/**
 * Disables a project that is critical. Of one that was enabled again only what came since then counts.
 *
 * That alone waits for nobody, however busy the project is, and from then on nothing new begins: requests are refused,
 * events start nothing, and what is claimed is not handed over.
 *
 * @returns whether it was this call that disabled it
 */
async function disable(
  { pool, log }: Context,
  { projectId, last7Days, sinceEnabled, enabledAt, enabledThisWeek }: ReputationRow,
): Promise<boolean> {
  const reason = whatIsCritical({ last7Days: enabledThisWeek ? sinceEnabled : last7Days, allTime: sinceEnabled });
  if (reason === null || !(await disableProject(pool, { projectId, reason, enabledAt }))) return false;
  log.warn({ projectId, reason }, 'A project was disabled for its reputation');
  return true;
}

/**
 * Ends what runs for a disabled project, and cancels what is queued; again and again without harm.
 *
 * @throws SERVICE_UNAVAILABLE (503) while its rows are held by something that takes long
 */
async function stop(ctx: Context, projectId: string): Promise<void> {
  // Most of the executions before the project is locked: 100,000 of them would hold up requests of others that share a
  // statement with this one's.
  for (const workflowId of await busyWorkflowsOf(ctx.pool, projectId))
    await cancelPages(ctx.pool, workflowId, STOPPED, retryingDeadlocks);
  await givingWay(ctx.pool, async (tx) => {
    if (!(await lockProject(tx, projectId))) return;
    // Somebody may have enabled it meanwhile.
    if (!(await holdProject(tx, projectId))?.disabled) return;
    await stopProject(tx, projectId, STOPPED);
    await cancelTransactionalEmails(tx, projectId, STOPPED);
  });
  ctx.wake('outbox');
}

/**
 * Looks again and again, whether Temporal is there or not. Any number of workers do so side by side: who comes second
 * finds it done.
 */
export const startReputationWatch = (ctx: Context): Loop =>
  startLoop({
    everyMs: EVERY,
    runTurn: () => watchReputation(ctx),
    failed: (error) => ctx.log.warn({ err: error }, 'A project can not be stopped, or looked at, now'),
  });
