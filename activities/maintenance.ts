/** Activities of `maintenance`. */
import { heartbeat } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { runMaintenanceTask } from '../src/domain/maintenance/maintenance.js';

export interface MaintenanceActivities {
  /** Runs one round of the named task. */
  runMaintenance: (input: { name: string }) => Promise<{ everyMs: number }>;
}

/** Of a worker that dies in a round the server hears within seconds, and gives the round to another. */
const HEARTBEAT = 3000;

export const createMaintenanceActivities = (ctx: Context): MaintenanceActivities => ({
  async runMaintenance({ name }) {
    const beat = setInterval(() => heartbeat(), HEARTBEAT);
    try {
      return await runMaintenanceTask(ctx, name);
    } finally {
      clearInterval(beat);
    }
  },
});
