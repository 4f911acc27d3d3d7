/** Activities of `maintenance`. */
import type { Context } from '../src/context.js';
import { runMaintenanceTask } from '../src/domain/maintenance.js';

export interface MaintenanceActivities {
  /** Runs one round of the named task. */
  runMaintenance: (input: { name: string }) => Promise<{ everyMs: number }>;
}

export const createMaintenanceActivities = (ctx: Context): MaintenanceActivities => ({
  runMaintenance: ({ name }) => runMaintenanceTask(ctx, name),
});
