/** Pauses after failures: 0.5 s, doubling to 15 s. */
import { backoffMs } from '../../backoff.js';

export interface Outage {
  /** The number of failures in a row. */
  failures: number;
  /** No attempt is made before this time, in ms since the epoch. */
  until: number;
}

export interface OutagePause {
  minMs: number;
  maxMs: number;
}

const DEFAULT_PAUSE: OutagePause = { minMs: 500, maxMs: 15_000 };

export const createOutage = (): Outage => ({ failures: 0, until: 0 });

/** Starts the next pause. Attempts that were in flight together fail together and count as one failure. */
export function noteFailure(outage: Outage, pause: OutagePause = DEFAULT_PAUSE): void {
  if (outage.until > Date.now()) return;
  outage.failures++;
  outage.until = Date.now() + backoffMs(outage.failures, pause);
}

export function endOutage(outage: Outage): void {
  outage.failures = 0;
  outage.until = 0;
}
