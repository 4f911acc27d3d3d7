/** Housekeeping: deletes expired rows and runs scheduled tasks, in small steps. */
import type { Context } from '../../context.js';
import { startLoop, type Loop } from '../../loop.js';
import { deleteExpiredSessions } from '../accounts/sessions.js';
import { deleteOldTokens } from '../accounts/sql/tokens.js';
import { foldEvents } from '../events/sql/days.js';
import { foldEmailFigures } from '../analytics/sql/email-figures.js';
import { foldFigures } from '../analytics/sql/figures.js';
import { foldLinks } from '../campaigns/sql/links.js';
import { foldWorkflowFigures } from '../workflows/sql/figures.js';
import { deleteExpiredKeys } from '../idempotency/sql.js';
import { deleteOldAttempts, deleteOldRateWindows } from './sql/retention.js';
import { EXPORT_LIFETIME_MS } from '../exports/download.js';
import { deleteExpiredExports } from '../exports/sql.js';
import { deleteInterruptedUploads } from '../imports/file-sql.js';
import { deleteOrphanedImportRows } from '../imports/sql.js';
import { deleteOldRejectedRows } from '../jobs/errors-sql.js';
import { deleteOldNotifications } from '../feedback/sql/notifications.js';
import { deleteOldHours, suspectBadWeeks } from '../reputation/sql.js';
import { endSnoozes } from '../contacts/sql/subscription.js';
import { sendUsageNotices } from '../billing/notices.js';
import { applyRetention } from './retention.js';
import { computeTrackedSegments } from '../segments/compute.js';
import { deleteOldDeliveries, deleteOldNotices } from '../webhooks/sql/retention.js';

const STEP = 5000;
/** Deltas of the same minutes and domains are folded together. */
const EMAIL_FIGURES_STEP = 20_000;
/** Much longer than a request may take. */
const MAX_UPLOAD_MS = 3_600_000;
/** How long the rejected rows of imports are kept. */
const REJECTED_ROWS_MS = 30 * 24 * 3_600_000;

const DAY_MS = 24 * 3_600_000;
const before = (ms: number): Date => new Date(Date.now() - ms);

interface Task {
  everyMs: number;
  run: (ctx: Context) => Promise<void>;
}

/** Repeats a step for up to STEP rows until it finds fewer. */
async function drain(step: () => Promise<number>): Promise<void> {
  while ((await step()) >= STEP);
}

const TASKS: Record<string, Task> = {
  expiry: {
    everyMs: 10 * 60_000,
    async run({ pool, config }) {
      const deliveriesFrom = before(config.WEBHOOK_DELIVERY_DAYS * DAY_MS);
      await drain(() => deleteExpiredKeys(pool, STEP));
      await drain(() => deleteOldRateWindows(pool, STEP));
      await drain(() => deleteOldAttempts(pool, STEP));
      await drain(() => deleteOldTokens(pool, STEP));
      await drain(() => deleteExpiredSessions(pool, STEP));
      await drain(() => deleteOrphanedImportRows(pool, STEP));
      await drain(() => deleteInterruptedUploads(pool, before(MAX_UPLOAD_MS), STEP));
      await drain(() => deleteExpiredExports(pool, before(EXPORT_LIFETIME_MS), STEP));
      await drain(() => deleteOldRejectedRows(pool, before(REJECTED_ROWS_MS), STEP));
      await drain(() => deleteOldNotifications(pool, STEP));
      await drain(() => deleteOldHours(pool, STEP));
      await drain(() => deleteOldDeliveries(pool, deliveriesFrom, STEP));
      await drain(() => deleteOldNotices(pool, deliveriesFrom, STEP));
      await suspectBadWeeks(pool);
    },
  },
  // Without an expired snooze, it is one index lookup.
  snooze: {
    everyMs: 5000,
    run: ({ pool }) => drain(() => endSnoozes(pool, STEP)),
  },
  // Readers add unfolded deltas, so folding often keeps them few.
  figures: {
    everyMs: 10_000,
    async run({ pool }) {
      await drain(() => foldFigures(pool, STEP));
      await drain(() => foldEvents(pool, STEP));
      await drain(() => foldLinks(pool, STEP));
      await drain(() => foldWorkflowFigures(pool, STEP));
      while ((await foldEmailFigures(pool, EMAIL_FIGURES_STEP)) >= EMAIL_FIGURES_STEP);
    },
  },
  // A fast sender gets from the warning to the limit in minutes.
  usage: {
    everyMs: 30_000,
    run: sendUsageNotices,
  },
  // Rounds are short, so that a worker can stop; the next round continues.
  retention: {
    everyMs: 60_000,
    run: applyRetention,
  },
  // Every 5 minutes (contract, section 6).
  segments: {
    everyMs: 5 * 60_000,
    run: computeTrackedSegments,
  },
};

/**
 * Tasks with a shorter interval are loops of every worker, whose rounds may run concurrently. A round in a Temporal workflow takes 30 ms of
 * CPU, and one in a loop 1 ms.
 */
const MIN_WORKFLOW_INTERVAL_MS = 60_000;

const isFrequent = ({ everyMs }: Task): boolean => everyMs < MIN_WORKFLOW_INTERVAL_MS;

/** The names of the tasks that are workflows. */
export const MAINTENANCE_WORKFLOWS = Object.entries(TASKS)
  .filter(([, task]) => !isFrequent(task))
  .map(([name]) => name);

/** Runs one round of a task. @returns the time until the next round, in milliseconds */
export async function runMaintenanceTask(ctx: Context, name: string): Promise<{ everyMs: number }> {
  const task = TASKS[name];
  if (!task) return { everyMs: 24 * 3_600_000 };
  await task.run(ctx);
  return { everyMs: task.everyMs };
}

/** Starts the loops of the frequent tasks. */
export const startFrequentTasks = (ctx: Context): Loop[] =>
  Object.entries(TASKS)
    .filter(([, task]) => isFrequent(task))
    .map(([name, { everyMs, run }]) =>
      startLoop({
        everyMs,
        runTurn: () => run(ctx),
        failed: (error) => ctx.log.warn({ err: error, task: name }, 'A maintenance task failed; it is repeated'),
      }),
    );
