/** The Temporal SDK's runtime: one per process, made before anything else of the SDK is used. */
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogEntry, type LogLevel } from '@temporalio/worker';
import type { Log } from '../log.js';

const WRITE: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/**
 * Has the SDK write to our log: from `warn` up, and from `info` up while our own level is `debug` or `trace`.
 *
 * Also takes the process's signals back from the SDK, which would stop the workers before the API has answered what is
 * under way (see src/process.ts). With `metrics`, an address, the SDK shows its own metrics there, for Prometheus.
 * Where there is a runtime already, it stays as it is: the first call in a process counts.
 */
export function installRuntime(log: Log, metrics: string | null = null): void {
  const level = log.isLevelEnabled('debug') ? 'INFO' : 'WARN';
  try {
    Runtime.install({
      logger: new DefaultLogger(level, (entry) => write(log, entry)),
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

/** It is meant to be so: the task queue `webhooks` has activities alone. */
const NO_WORKFLOWS = 'No workflows registered';

function write(log: Log, { level, message, meta = {} }: LogEntry): void {
  if (message.startsWith(NO_WORKFLOWS)) return;
  const { error, ...rest } = meta;
  log[WRITE[level]]({ ...rest, ...(error !== undefined && { err: error }) }, message);
}
