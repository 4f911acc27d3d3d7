/** Installs the Temporal SDK's runtime, once per process and before any other use of the SDK. */
import { IllegalStateError } from '@temporalio/common';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  type LogEntry,
  type LogLevel,
  type RuntimeOptions,
} from '@temporalio/worker';
import getPort from 'get-port';
import type { Log } from '../log.js';

const LOG_METHODS: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

const LOOPBACK = '127.0.0.1';
/** Another process may take the free port before the SDK does. */
const MAX_PORTS = 5;

/**
 * Routes the SDK's log to ours: from level `warn`, or from `info` if our level is `debug` or `trace`.
 *
 * It also disables the SDK's signal handlers, which would stop the workers before the API has finished its requests
 * (see src/process.ts). Only the first call in a process has an effect.
 *
 * @param hasMetrics whether the SDK serves its own metrics for Prometheus
 * @returns their URL, or null
 */
export async function installRuntime(log: Log, hasMetrics = false): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    const address = hasMetrics ? `${LOOPBACK}:${await getPort({ host: LOOPBACK })}` : null;
    try {
      Runtime.install(runtimeOptions(log, address));
      return address === null ? null : `http://${address}/metrics`;
    } catch (error) {
      if (error instanceof IllegalStateError) return null;
      if (address === null || attempt === MAX_PORTS) throw error;
    }
  }
}

function runtimeOptions(log: Log, metricsAddress: string | null): RuntimeOptions {
  const level = log.isLevelEnabled('debug') ? 'INFO' : 'WARN';
  return {
    logger: new DefaultLogger(level, (entry) => writeEntry(log, entry)),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: level, other: 'ERROR' }), forward: {} },
      ...(metricsAddress !== null && {
        metrics: {
          prometheus: {
            bindAddress: metricsAddress,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
          },
        },
      }),
    },
    shutdownSignals: [],
  };
}

/** A warning about the task queue `webhooks`, which has only activities by design. */
const NO_WORKFLOWS = 'No workflows registered';

function writeEntry(log: Log, { level, message, meta = {} }: LogEntry): void {
  if (message.startsWith(NO_WORKFLOWS)) return;
  const { error, ...rest } = meta;
  log[LOG_METHODS[level]]({ ...rest, ...(error !== undefined && { err: error }) }, message);
}
