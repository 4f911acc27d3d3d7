/** Starts the observability of a process: metrics, traces, and health. */
import getPort from 'get-port';
import type { Environment } from '../config.js';
import type { Log } from '../log.js';
import type { ProcessLife } from '../process.js';
import { createMetrics, type Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';
import { startOperations } from './server.js';
import type { Telemetry } from './telemetry.js';

const LOOPBACK = '127.0.0.1';

export interface Observability {
  metrics: Metrics;
  /** Null without OTEL_EXPORTER_OTLP_ENDPOINT. */
  telemetry: Telemetry | null;
  /** The address for the Temporal SDK's own metrics, `127.0.0.1:<port>`; null without a Temporal worker. */
  sdkMetrics: string | null;
  /** Sets the parts that `/health/ready` reports on. Until then, the process is not ready. */
  reportReadiness: (parts: Array<Pick<Readiness, 'check'>>) => void;
}

export interface ObservabilityOptions {
  /** The default of OTEL_SERVICE_NAME. */
  service: string;
  /** Whether the process has a Temporal worker. */
  worker: boolean;
}

const STARTING: Pick<Readiness, 'check'> = {
  check: async () => ({ ready: false, draining: false, parts: { database: 'unavailable' } }),
};

/**
 * Starts metrics, traces, and the health endpoints of a process, before its other parts, so that they are measured and
 * a process that waits for PostgreSQL counts as live.
 */
export async function startObservability(
  life: ProcessLife,
  environment: Environment,
  log: Log,
  { service, worker }: ObservabilityOptions,
): Promise<Observability> {
  const metrics = createMetrics();
  const telemetry =
    environment.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
      ? null
      : (await import('./telemetry.js')).startTelemetry(service);
  if (telemetry) await life.start('pools', 'traces', async () => telemetry);
  const sdkMetrics = worker ? `${LOOPBACK}:${await getPort({ host: LOOPBACK })}` : null;
  const sdk = sdkMetrics === null ? null : `http://${sdkMetrics}/metrics`;
  const readiness = [STARTING];
  await life.start('pools', 'metrics', () => startOperations(environment, log, { metrics, readiness, sdk }));
  return {
    metrics,
    telemetry,
    sdkMetrics,
    reportReadiness: (parts) => void readiness.splice(0, readiness.length, ...parts),
  };
}
