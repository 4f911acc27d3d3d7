/** What surrounds the parts of a process: metrics, traces, health. */
import type { Environment } from '../config.js';
import { freePort, LOOPBACK } from '../../packages/embedded/src/ports.js';
import type { Log } from '../log.js';
import type { ProcessLife } from '../process.js';
import { createMetrics, type Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';
import { startOperations } from './server.js';
import type { Telemetry } from './telemetry.js';

export interface Surroundings {
  metrics: Metrics;
  /** null without OTEL_EXPORTER_OTLP_ENDPOINT. */
  telemetry: Telemetry | null;
  /** Where the Temporal SDK is to show its metrics: `127.0.0.1:<port>`. */
  sdkMetrics: string | null;
  /** Begins to listen on METRICS_PORT, once the parts are there. */
  listen: (readiness: Array<Pick<Readiness, 'check'>>) => Promise<void>;
}

export interface SurroundingsOptions {
  /** The default of OTEL_SERVICE_NAME. */
  service: string;
  /** Whether the process has a Temporal worker. */
  worker: boolean;
}

/** Before anything else of a process, so that all of it is measured. */
export async function surround(
  life: ProcessLife,
  environment: Environment,
  log: Log,
  { service, worker }: SurroundingsOptions,
): Promise<Surroundings> {
  const metrics = createMetrics();
  const telemetry =
    environment.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
      ? null
      : (await import('./telemetry.js')).startTelemetry(service);
  if (telemetry) await life.start('pools', 'traces', async () => telemetry);
  const sdkMetrics = worker ? `${LOOPBACK}:${await freePort()}` : null;
  return {
    metrics,
    telemetry,
    sdkMetrics,
    async listen(readiness) {
      const sdk = sdkMetrics === null ? null : `http://${sdkMetrics}/metrics`;
      await life.start('pools', 'metrics', () => startOperations(environment, log, { metrics, readiness, sdk }));
    },
  };
}
