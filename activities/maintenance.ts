/** Activities of `maintenance`. */
import { heartbeat } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { runMaintenanceTask } from '../src/domain/maintenance/maintenance.js';

export interface MaintenanceActivities {
  /** Runs one round of the named task. */
  runMaintenance: (input: { name: string }) => Promise<{ everyMs: number }>;
}

/** Lets the server detect within seconds that the worker has stopped, and retry the round on another one. */
const HEARTBEAT_INTERVAL_MS = 3000;

export const createMaintenanceActivities = (ctx: Context): MaintenanceActivities => ({
  async runMaintenance({ name }) {
    const beat = setInterval(() => heartbeat(), HEARTBEAT_INTERVAL_MS);
    try {
      return await runMaintenanceTask(ctx, name);
    } finally {
      clearInterval(beat);
    }
  },
});
