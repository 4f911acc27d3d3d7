/**
 * Serves `/metrics`, `/health/live`, and `/health/ready` of this process on METRICS_HOST and METRICS_PORT. It has no
 * authentication, so only the operator's own network may reach it.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Environment } from '../config.js';
import type { Log } from '../log.js';
import type { Metrics } from './metrics.js';
import { collectProcessMetrics } from './process-metrics.js';
import type { Readiness } from './readiness.js';

export interface OperationsOptions {
  metrics: Metrics;
  /** The readiness of each part of the process. */
  readiness: Array<Pick<Readiness, 'check'>>;
  /** The URL of the Temporal SDK's own metrics, which are included; null without the SDK. */
  sdkMetrics: string | null;
}

const SDK_TIMEOUT_MS = 3000;

/**
 * Listens on METRICS_HOST and METRICS_PORT (0: a free port). If the port is in use, it logs a warning and the process
 * runs without metrics.
 *
 * @param options read for each request, so they may change
 * @returns `port`: the port in use; null without metrics
 */
export async function startOperations(
  { METRICS_HOST, METRICS_PORT }: Pick<Environment, 'METRICS_HOST' | 'METRICS_PORT'>,
  log: Log,
  options: OperationsOptions,
): Promise<{ port: number | null; stop: () => Promise<void> }> {
  collectProcessMetrics(options.metrics.registry);
  const server = createServer((request, response) => {
    responseTo(request.url?.split('?')[0] ?? '', options).then(
      ({ status, type, body }) =>
        response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body),
      (error: unknown) => {
        log.warn({ err: error }, 'A metrics request failed');
        response.writeHead(500).end();
      },
    );
  });
  server.requestTimeout = 10_000;
  try {
    server.listen(METRICS_PORT, METRICS_HOST);
    await once(server, 'listening');
  } catch (error) {
    log.warn(
      { err: error, host: METRICS_HOST, port: METRICS_PORT },
      'This process has no metrics: it cannot listen on METRICS_PORT. Give each process of a machine its own port',
    );
    return { port: null, stop: async () => undefined };
  }
  const port = portOf(server);
  log.info({ host: METRICS_HOST, port }, 'The metrics server listens');
  return {
    port,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function portOf(server: Server): number | null {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : null;
}

interface MetricsResponse {
  status: number;
  type: string;
  body: string;
}

const json = (status: number, body: unknown): MetricsResponse => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

async function responseTo(
  path: string,
  { metrics, readiness, sdkMetrics }: OperationsOptions,
): Promise<MetricsResponse> {
  switch (path) {
    case '/metrics': {
      const [ownMetrics, temporalMetrics] = await Promise.all([
        metrics.registry.metrics(),
        sdkMetrics === null ? '' : fetchSdkMetrics(sdkMetrics),
      ]);
      return { status: 200, type: metrics.registry.contentType, body: ownMetrics + temporalMetrics };
    }
    case '/health/live':
      return json(200, { status: 'ok' });
    case '/health/ready': {
      const reports = await Promise.all(readiness.map((part) => part.check()));
      const ready = reports.every((report) => report.ready);
      return json(ready ? 200 : 503, {
        status: ready ? 'ok' : 'unavailable',
        draining: reports.some(({ draining }) => draining),
        ...Object.assign({}, ...reports.map(({ parts }) => parts)),
      });
    }
    default:
      return json(404, { status: 'not found' });
  }
}

/** Returns the SDK's metrics, or an empty string if it does not respond, so that our own are still served. */
async function fetchSdkMetrics(address: string): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.timeout(SDK_TIMEOUT_MS) }).catch(() => null);
  return response?.ok ? response.text() : '';
}
