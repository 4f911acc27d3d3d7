/** Enabling a project again that was disabled. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { markEnabled } from './sql.js';

/**
 * Enables a project; one that is enabled stays as it is. What was cancelled stays cancelled. From now on only what
 * comes after this moment counts when it is to be disabled for its reputation: the figures that it was disabled for
 * would do so at once, and it could never earn better ones.
 */
export async function enableProject({ pool }: Context, projectId: string): Promise<void> {
  await transaction(pool, (tx) => markEnabled(tx, projectId));
}
