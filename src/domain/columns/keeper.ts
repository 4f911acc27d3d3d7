/**
 * Keeps the columns of all projects up, in every worker; which of them works on a project's columns is decided by a
 * lock of its row (build.ts).
 */
import type { Context } from '../../context.js';
import { forgetOrphanedChanges } from './sql/build.js';
import { startLoop, type Loop } from '../../loop.js';
import { buildColumns } from './build.js';

/** Between two looks, in milliseconds: one cheap statement, while there is nothing to do. */
const POLL = 2000;
/** Looks between two removals of what belongs to no columns any more: an hour. */
const TIDY = 1800;

/** A stop ends it after the chunk that is being made. */
export function startColumnKeeper({ pool, log }: Context): Loop {
  let round = 0;
  return startLoop({
    everyMs: POLL,
    async look(signal) {
      round += 1;
      await buildColumns(pool, { signal });
      if (round % TIDY === 0) await forgetOrphanedChanges(pool);
    },
    failed: (error) => log.warn({ err: error }, 'The columns of contacts could not be kept up'),
  });
}
