/** The worker's connection to Temporal, which its client shares, so that the relay's starts can be eager. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { backoffMs } from '../backoff.js';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { connectionOptions } from './connection-options.js';

/**
 * Connects, and keeps trying while Temporal is down: everything else of a worker goes on without it. Null when aborted.
 */
export async function connectTemporal(config: Config, log: Log, signal: AbortSignal): Promise<NativeConnection | null> {
  const options = await connectionOptions(config);
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return await NativeConnection.connect(options);
    } catch (error) {
      log.warn({ err: error, address: config.TEMPORAL_ADDRESS }, 'Temporal is not reachable yet');
      await sleep(backoffMs(attempt, { minMs: 250, maxMs: 5000 }), undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}
