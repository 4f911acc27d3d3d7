/** The connection options that Temporal's client and worker share: address, TLS, and API key. */
import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from '@temporalio/client';
import type { Config } from '../config.js';

export interface TemporalOptions {
  address: string;
  apiKey?: string;
  tls?: Exclude<ConnectionOptions['tls'], boolean | null>;
}

/** @throws the file system's error if a certificate cannot be read */
export async function connectionOptions(config: Config): Promise<TemporalOptions> {
  const {
    TEMPORAL_ADDRESS,
    TEMPORAL_TLS_CERT,
    TEMPORAL_TLS_KEY,
    TEMPORAL_TLS_CA,
    TEMPORAL_TLS_SERVER_NAME,
    TEMPORAL_API_KEY,
  } = config;
  const tls = TEMPORAL_TLS_CERT || TEMPORAL_TLS_CA || TEMPORAL_TLS_SERVER_NAME || TEMPORAL_API_KEY;
  return {
    address: TEMPORAL_ADDRESS,
    ...(TEMPORAL_API_KEY && { apiKey: TEMPORAL_API_KEY }),
    ...(tls && {
      tls: {
        ...(TEMPORAL_TLS_CA && { serverRootCACertificate: await readFile(TEMPORAL_TLS_CA) }),
        ...(TEMPORAL_TLS_SERVER_NAME && { serverNameOverride: TEMPORAL_TLS_SERVER_NAME }),
        ...(TEMPORAL_TLS_CERT &&
          TEMPORAL_TLS_KEY && {
            clientCertPair: { crt: await readFile(TEMPORAL_TLS_CERT), key: await readFile(TEMPORAL_TLS_KEY) },
          }),
      },
    }),
  };
}
