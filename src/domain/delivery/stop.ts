/** Waits until the workers hand over no further email of a canceled campaign. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../db/pool.js';
import { isHandingOver } from './sql/campaigns.js';

const POLL_INTERVAL_MS = 10;
/** A worker that does not confirm within this time has probably died. Its lease expires. */
const MAX_WAIT_MS = 2000;

/** Resolves when every worker with a lease has confirmed that it stopped, after two seconds at the latest. */
export async function waitUntilStopped(db: Queryable, campaignId: string): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while ((await isHandingOver(db, campaignId)) && performance.now() < deadline) await sleep(POLL_INTERVAL_MS);
}
