/** Installs the Temporal SDK's runtime, once per process and before any other use of the SDK. */
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogEntry, type LogLevel } from '@temporalio/worker';
import type { Log } from '../log.js';

const LOG_METHODS: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/**
 * Routes the SDK's log to ours: from level `warn`, or from `info` if our level is `debug` or `trace`.
 *
 * It also disables the SDK's signal handlers, which would stop the workers before the API has finished its requests
 * (see src/process.ts). Only the first call in a process has an effect.
 *
 * @param metrics the address on which the SDK serves its own metrics for Prometheus
 */
export function installRuntime(log: Log, metrics: string | null = null): void {
  const level = log.isLevelEnabled('debug') ? 'INFO' : 'WARN';
  try {
    Runtime.install({
      logger: new DefaultLogger(level, (entry) => writeEntry(log, entry)),
      telemetryOptions: {
        logging: { filter: makeTelemetryFilterString({ core: level, other: 'ERROR' }), forward: {} },
        ...(metrics !== null && {
          metrics: {
            prometheus: {
              bindAddress: metrics,
              countersTotalSuffix: true,
              unitSuffix: true,
              useSecondsForDurations: true,
            },
          },
        }),
      },
      shutdownSignals: [],
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

/** A warning about the task queue `webhooks`, which has only activities by design. */
const NO_WORKFLOWS = 'No workflows registered';

function writeEntry(log: Log, { level, message, meta = {} }: LogEntry): void {
  if (message.startsWith(NO_WORKFLOWS)) return;
  const { error, ...rest } = meta;
  log[LOG_METHODS[level]]({ ...rest, ...(error !== undefined && { err: error }) }, message);
}
