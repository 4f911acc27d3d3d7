/** When a send window is open next, in the time zone of each recipient. */
import type { Queryable } from '../../db/pool.js';
import { RECIPIENT, type SendWindow } from '../send-window.js';
import { knownTimezones } from '../timezone.js';
import { selectOpenings, type Opening } from './sql/waves.js';

export interface Openings {
  /** In the time zones of recipients; empty if the window has a zone of its own. */
  dues: Opening[];
  /** For recipients without a known time zone, or for all. */
  fallback: Opening;
}

/** Returns when a window is open from `now` on. */
export async function readOpenings(
  db: Queryable,
  sendWindow: SendWindow,
  fallbackTimezone: string,
  now: Date,
): Promise<Openings> {
  const isForRecipients = sendWindow.timezone === RECIPIENT;
  const zone = isForRecipients ? fallbackTimezone : sendWindow.timezone;
  const others = isForRecipients ? await knownTimezones(db) : [];
  const [fallback = { zone, at: now }, ...dues] = await selectOpenings(db, sendWindow, [zone, ...others], now);
  return { fallback, dues };
}
