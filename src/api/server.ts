/** Listens with the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createContext } from '../context.js';
import type { Config } from '../config.js';
import { startUploadRemoval } from '../domain/uploads/removals.js';
import type { Log } from '../log.js';
import type { Metrics } from '../operations/metrics.js';
import type { Readiness } from '../operations/readiness.js';
import { watchAnswers } from './answers.js';
import { buildApp } from './app.js';

export interface RunningApi {
  url: string;
  readiness: Readiness;
  stop(): Promise<void>;
}

export interface ApiParts {
  metrics?: Metrics;
}

/** Milliseconds in which connections that the system holds for this process are taken: a close would reset them. */
const KNOCKED = 100;
/** Milliseconds that answers under way have, beside DRAIN_SECONDS. */
const PATIENCE = 10_000;

/**
 * Starts the API on HOST and PORT.
 *
 * `stop` says that it is not ready any more, waits DRAIN_SECONDS, takes no new requests, answers those that are under
 * way, and closes the pool.
 *
 * @throws the listen error (EADDRINUSE) when the port is taken
 */
export async function startApi(config: Config, log: Log, { metrics }: ApiParts = {}): Promise<RunningApi> {
  const ctx = createContext(config, log, { name: 'api', metrics });
  const app = await buildApp(ctx);
  const answers = watchAnswers(app.server);
  try {
    const url = await app.listen({ host: config.HOST, port: config.PORT });
    const removal = startUploadRemoval(ctx);
    return {
      url,
      readiness: ctx.readiness,
      async stop() {
        // Whoever distributes requests has DRAIN_SECONDS to see it, and is served meanwhile.
        ctx.readiness.drain();
        await sleep(Math.max(config.DRAIN_SECONDS * 1000, KNOCKED));
        await answers.finished(PATIENCE);
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
