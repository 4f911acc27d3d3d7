/** The worker's connection to Temporal, which its client shares, so that the relay's starts can be eager. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../config.js';
import type { Log } from '../log.js';

async function connectionOptions(config: Config): Promise<NativeConnectionOptions> {
  const { TEMPORAL_ADDRESS, TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY, TEMPORAL_TLS_CA, TEMPORAL_TLS_SERVER_NAME, TEMPORAL_API_KEY } = config;
  const tls = TEMPORAL_TLS_CERT || TEMPORAL_TLS_CA || TEMPORAL_TLS_SERVER_NAME || TEMPORAL_API_KEY;
  return {
    address: TEMPORAL_ADDRESS,
    ...(TEMPORAL_API_KEY && { apiKey: TEMPORAL_API_KEY }),
    ...(tls && {
      tls: {
        ...(TEMPORAL_TLS_CA && { serverRootCACertificate: await readFile(TEMPORAL_TLS_CA) }),
        ...(TEMPORAL_TLS_SERVER_NAME && { serverNameOverride: TEMPORAL_TLS_SERVER_NAME }),
        ...(TEMPORAL_TLS_CERT && TEMPORAL_TLS_KEY && { clientCertPair: { crt: await readFile(TEMPORAL_TLS_CERT), key: await readFile(TEMPORAL_TLS_KEY) } }),
      },
    }),
  };
}

/** Connects, and keeps trying while Temporal is down: everything else of a worker goes on without it. Null when aborted. */
export async function connectTemporal(config: Config, log: Log, signal: AbortSignal): Promise<NativeConnection | null> {
  const options = await connectionOptions(config);
  for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
    try {
      return await NativeConnection.connect(options);
    } catch (error) {
      log.warn({ err: error, address: config.TEMPORAL_ADDRESS }, 'Temporal is not reachable yet');
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}
