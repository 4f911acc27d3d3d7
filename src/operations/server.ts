/**
 * METRICS_PORT: `/metrics`, `/health/live` and `/health/ready` of this process, whatever it is. For the inside of a
 * network only.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics } from 'prom-client';
import type { Environment } from '../config.js';
import type { Log } from '../log.js';
import type { Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';

export interface OperationsOptions {
  metrics: Metrics;
  /** Of every part of the process. */
  readiness: Array<Pick<Readiness, 'check'>>;
  /** Where the Temporal SDK shows its own metrics, which are passed on. */
  sdk: string | null;
}

const SDK_PATIENCE = 3000;

/**
 * Listens on HOST and METRICS_PORT; on a free port where that is 0.
 *
 * A port that is taken is said and done without: a second process on a machine is no reason not to run.
 */
export async function startOperations(
  { HOST, METRICS_PORT }: Pick<Environment, 'HOST' | 'METRICS_PORT'>,
  log: Log,
  options: OperationsOptions,
): Promise<{ stop: () => Promise<void> }> {
  collectDefaultMetrics({ register: options.metrics.registry });
  const server = createServer((request, response) => {
    answer(request.url?.split('?')[0] ?? '', options).then(
      ({ status, type, body }) =>
        response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body),
      (error: unknown) => {
        log.warn({ err: error }, 'The metrics could not be read');
        response.writeHead(500).end();
      },
    );
  });
  server.requestTimeout = 10_000;
  try {
    server.listen(METRICS_PORT, HOST);
    await once(server, 'listening');
  } catch (error) {
    log.warn(
      { err: error, port: METRICS_PORT },
      'There are no metrics of this process: METRICS_PORT can not be listened on. Give each process of a machine one of its own',
    );
    return { stop: async () => undefined };
  }
  log.info({ port: portOf(server) }, 'metrics are at /metrics of this port');
  return {
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

interface Answer {
  status: number;
  type: string;
  body: string;
}

const json = (status: number, body: unknown): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

async function answer(path: string, { metrics, readiness, sdk }: OperationsOptions): Promise<Answer> {
  switch (path) {
    case '/metrics': {
      const [own, ofSdk] = await Promise.all([metrics.registry.metrics(), sdk === null ? '' : sdkMetrics(sdk)]);
      return { status: 200, type: metrics.registry.contentType, body: own + ofSdk };
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

/** Nothing where it doesn't answer: our own are worth more than none. */
async function sdkMetrics(address: string): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.timeout(SDK_PATIENCE) }).catch(() => null);
  return response?.ok ? response.text() : '';
}
