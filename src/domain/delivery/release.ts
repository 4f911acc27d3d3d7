/**
 * Releases scheduled emails when they are due: the dispatcher then sends them. Each worker does so, and locked rows are
 * skipped. It needs only the database, so that emails go out on time while Temporal is down.
 */
import type { Context } from '../../context.js';
import { startLoop, type Loop } from '../../loop.js';
import { releaseDue } from '../emails/sql/schedule.js';

/** An email is released at most this late. */
const POLL_INTERVAL_MS = 500;
const PAGE_SIZE = 1000;

/** @param wake announces the released emails to the dispatchers */
export const startRelease = ({ pool, log, wake }: Pick<Context, 'pool' | 'log' | 'wake'>): Loop =>
  startLoop({
    everyMs: POLL_INTERVAL_MS,
    async runTurn() {
      const released = await releaseDue(pool, PAGE_SIZE);
      if (released > 0) wake('emails');
      return released === PAGE_SIZE ? 0 : undefined;
    },
    failed: (error) => log.warn({ err: error }, 'The release of scheduled emails failed; it is repeated'),
  });
