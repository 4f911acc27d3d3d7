/** Starts the observability of a process: metrics, traces, and health. */
import type { Environment } from '../config.js';
import type { Log } from '../log.js';
import type { ProcessLife } from '../process.js';
import { createMetrics, type Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';
import { startOperations, type OperationsOptions } from './server.js';
import type { Telemetry } from './telemetry.js';

export interface Observability {
  metrics: Metrics;
  /** Null without OTEL_EXPORTER_OTLP_ENDPOINT. */
  telemetry: Telemetry | null;
  /** Completes what `/health/ready` and `/metrics` report. Until then, the process is not ready. */
  report: (parts: Omit<OperationsOptions, 'metrics'>) => void;
}

const STARTING: Pick<Readiness, 'check'> = {
  check: async () => ({ ready: false, draining: false, parts: { database: 'unavailable' } }),
};

/**
 * Starts metrics, traces, and the health endpoints of a process, before its other parts, so that they are measured and
 * a process that waits for PostgreSQL counts as live.
 *
 * @param service the default of OTEL_SERVICE_NAME
 */
export async function startObservability(
  life: ProcessLife,
  environment: Environment,
  log: Log,
  service: string,
): Promise<Observability> {
  const metrics = createMetrics();
  const telemetry =
    environment.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
      ? null
      : (await import('./telemetry.js')).startTelemetry(service);
  if (telemetry) await life.start('pools', 'traces', async () => telemetry);
  const reported: OperationsOptions = { metrics, readiness: [STARTING], sdkMetrics: null };
  await life.start('pools', 'metrics', () => startOperations(environment, log, reported));
  return { metrics, telemetry, report: (parts) => void Object.assign(reported, parts) };
}
