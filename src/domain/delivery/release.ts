/**
 * Announces to the dispatcher of this worker which projects have scheduled email that is due. The dispatcher then claims it
 * with the pending email. This needs only the database, so that emails go out on time while Temporal is down.
 */
import type { Context } from '../../context.js';
import { startLoop, type Loop } from '../../loop.js';
import { selectDueProjects } from '../emails/sql/claim.js';
import type { Dispatcher } from './dispatcher.js';

/** An email is claimed at most this late, unless very many projects have scheduled email. */
const POLL_INTERVAL_MS = 500;
/** A pause is at least this multiple of the time that the read took. */
const PAUSE_FACTOR = 5;

export const startRelease = (
  { pool, log }: Pick<Context, 'pool' | 'log'>,
  dispatcher: Pick<Dispatcher, 'setDueProjects'>,
): Loop =>
  startLoop({
    everyMs: POLL_INTERVAL_MS,
    async runTurn() {
      const start = performance.now();
      dispatcher.setDueProjects(await selectDueProjects(pool));
      return Math.max(POLL_INTERVAL_MS, PAUSE_FACTOR * (performance.now() - start));
    },
    failed: (error) => log.warn({ err: error }, 'Projects with due scheduled emails could not be read; retrying'),
  });
