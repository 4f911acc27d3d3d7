/** Disables critical projects (contract, section 2, "Security") within seconds after the decisive feedback. */
import type { Context } from '../../context.js';
import {
  busyWorkflowsOf,
  cancelScheduledEmails,
  cancelTransactionalEmails,
  holdProject,
} from '../projects/sql/stop.js';
import { lockProject } from '../projects/sql/projects.js';
import { deleteSuspects, disableProject, selectReputations, selectSuspects, type ReputationRow } from './sql.js';
import { startLoop, type Loop } from '../../loop.js';
import { cancelPages } from '../executions/cancel.js';
import { withLockTimeout, retryDeadlocks } from '../lock-timeout.js';
import { stopProject } from '../projects/stop.js';
import { describeCriticalFault } from './levels.js';

const SUSPECT_BATCH_SIZE = 10_000;
/** A poll without suspects costs one query. */
const POLL_INTERVAL_MS = 2000;
const STOP_REASON = 'The project was disabled because of its reputation';

/**
 * Checks the projects with new bounces and complaints, and disables the critical ones. A project stays a suspect until
 * it is stopped completely, so the next poll continues after a killed worker or a lock timeout.
 *
 * @throws the error of the last project that could not be stopped, after all others are done
 */
export async function watchReputation(ctx: Context): Promise<void> {
  const failed: string[] = [];
  let failure: unknown;
  for (;;) {
    const suspects = await selectSuspects(ctx.pool, SUSPECT_BATCH_SIZE, failed);
    if (suspects.length === 0) break;
    const rows = ctx.config.AUTO_PROJECT_DISABLE
      ? await selectReputations(
          ctx.pool,
          suspects.map(({ projectId }) => projectId),
        )
      : [];
    for (const row of rows) {
      try {
        // An interrupted poll may have disabled the project without stopping it.
        if (row.disabled || (await disableIfCritical(ctx, row))) await stopDisabledProject(ctx, row.projectId);
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
 * Disables a critical project. After it was enabled again, only later figures count.
 *
 * The update waits for no lock, however busy the project is. From then on, nothing new starts: requests are rejected,
 * events start no workflows, and claimed emails are not sent.
 *
 * @returns whether this call disabled it
 */
async function disableIfCritical(
  { pool, log }: Context,
  { projectId, last7Days, sinceEnabled, enabledAt, enabledThisWeek }: ReputationRow,
): Promise<boolean> {
  const reason = describeCriticalFault({
    last7Days: enabledThisWeek ? sinceEnabled : last7Days,
    allTime: sinceEnabled,
  });
  if (reason === null || !(await disableProject(pool, { projectId, reason, enabledAt }))) return false;
  log.warn({ projectId, reason }, 'Disabled a project because of its reputation');
  return true;
}

/**
 * Stops everything that runs for a disabled project, and cancels its queued emails. It can be repeated.
 *
 * @throws SERVICE_UNAVAILABLE (503) if another operation locks its rows for long
 */
async function stopDisabledProject(ctx: Context, projectId: string): Promise<void> {
  // Cancel most executions before locking the project: with 100,000 of them, the lock would delay requests of other
  // projects that share a statement with requests of this one.
  for (const workflowId of await busyWorkflowsOf(ctx.pool, projectId))
    await cancelPages(ctx.pool, workflowId, STOP_REASON, retryDeadlocks);
  await withLockTimeout(ctx.pool, async (tx) => {
    if (!(await lockProject(tx, projectId))) return;
    // It may have been enabled meanwhile.
    if (!(await holdProject(tx, projectId))?.disabled) return;
    await stopProject(tx, projectId, STOP_REASON);
    await cancelTransactionalEmails(tx, projectId, STOP_REASON);
    await cancelScheduledEmails(tx, projectId, STOP_REASON);
  });
  ctx.wake('outbox');
}

/** Polls, independently of Temporal. Any number of workers can run it concurrently. */
export const startReputationWatch = (ctx: Context): Loop =>
  startLoop({
    everyMs: POLL_INTERVAL_MS,
    runTurn: () => watchReputation(ctx),
    failed: (error) => ctx.log.warn({ err: error }, 'The reputation watch failed; it is repeated'),
  });
