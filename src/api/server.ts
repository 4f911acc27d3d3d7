/** Starts the API on its port. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createContext } from '../context.js';
import type { Config } from '../config.js';
import { startUploadRemoval } from '../domain/uploads/removals.js';
import type { Log } from '../log.js';
import type { Metrics } from '../operations/metrics.js';
import type { Readiness } from '../operations/readiness.js';
import { watchResponses } from './responses.js';
import { buildApp } from './app.js';

export interface RunningApi {
  url: string;
  readiness: Readiness;
  stop(): Promise<void>;
}

export interface ApiParts {
  metrics?: Metrics;
}

/** The time to accept connections that wait in the listen queue. Closing the server would reset them. */
const ACCEPT_GRACE_MS = 100;
/** The time for responses in flight, after DRAIN_SECONDS. */
const RESPONSE_TIMEOUT_MS = 10_000;

/**
 * Starts the API on HOST and PORT.
 *
 * `stop` ends the streams, reports that the API is not ready, serves requests for DRAIN_SECONDS, finishes the responses
 * in flight, and closes the server and the pool.
 *
 * @throws the listen error (EADDRINUSE) if the port is in use
 */
export async function startApi(config: Config, log: Log, { metrics }: ApiParts = {}): Promise<RunningApi> {
  const ctx = createContext(config, log, { name: 'api', metrics });
  const app = await buildApp(ctx);
  const responses = watchResponses(app.server);
  try {
    const url = await app.listen({ host: config.HOST, port: config.PORT });
    const removal = startUploadRemoval(ctx);
    return {
      url,
      readiness: ctx.readiness,
      async stop() {
        app.live.end();
        // Load balancers see it within DRAIN_SECONDS. Requests are served in the meantime.
        ctx.readiness.drain();
        await sleep(Math.max(config.DRAIN_SECONDS * 1000, ACCEPT_GRACE_MS));
        await responses.finished(RESPONSE_TIMEOUT_MS);
        await app.close();
        await removal.stop();
        await ctx.close();
      },
    };
  } catch (error) {
    await app.close();
    await ctx.close();
    throw error;
  }
}
