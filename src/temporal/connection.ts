/** The worker's connection to Temporal. The client shares it, which eager workflow starts require. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { backoffMs } from '../backoff.js';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { connectionOptions } from './connection-options.js';

/** Connects, and retries while Temporal is down. @returns null if aborted */
export async function connectTemporal(config: Config, log: Log, signal: AbortSignal): Promise<NativeConnection | null> {
  const options = await connectionOptions(config);
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return await NativeConnection.connect(options);
    } catch (error) {
      log.warn({ err: error, address: config.TEMPORAL_ADDRESS }, 'Temporal is not reachable; the worker retries');
      await sleep(backoffMs(attempt, { minMs: 250, maxMs: 5000 }), undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}
