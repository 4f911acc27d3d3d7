/** Keeps the columns of all projects up, in every worker; which of them works on a project's columns is decided by a lock of its row (build.ts). */
import type { Context } from '../../context.js';
import { forgetOrphanedChanges } from '../../db/sql/column-build.js';
import { createPause } from '../../pause.js';
import { buildColumns } from './build.js';

/** Between two looks, in milliseconds: one cheap statement, while there is nothing to do. */
const POLL = 2000;
/** Looks between two removals of what belongs to no columns any more: an hour. */
const TIDY = 1800;

export interface ColumnKeeper {
  /** Ends after the chunk that is being made. */
  stop: () => Promise<void>;
}

export function startColumnKeeper({ pool, log }: Context): ColumnKeeper {
  const stopping = new AbortController();
  const pause = createPause();

  const run = async (): Promise<void> => {
    for (let round = 1; !stopping.signal.aborted; round++) {
      try {
        await buildColumns(pool, { signal: stopping.signal });
        if (round % TIDY === 0) await forgetOrphanedChanges(pool);
      } catch (error) {
        log.warn({ err: error }, 'The columns of contacts could not be kept up');
      }
      if (!stopping.signal.aborted) await pause.wait(POLL);
    }
  };

  const running = run();
  return {
    async stop() {
      stopping.abort();
      pause.end();
      await running;
    },
  };
}
