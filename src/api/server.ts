/** Listens with the API. */
import { createContext } from '../context.js';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { buildApp } from './app.js';

export interface Running {
  stop(): Promise<void>;
}

/**
 * Starts the API on HOST and PORT.
 *
 * `stop` takes no new requests, answers those that are under way, and closes the pool.
 *
 * @throws the listen error (EADDRINUSE) when the port is taken
 */
export async function startApi(config: Config, log: Log): Promise<Running & { url: string }> {
  const ctx = createContext(config, log, { name: 'api' });
  const app = await buildApp(ctx);
  try {
    const url = await app.listen({ host: config.HOST, port: config.PORT });
    return {
      url,
      async stop() {
        await app.close();
        await ctx.close();
      },
    };
  } catch (error) {
    await app.close();
    await ctx.close();
    throw error;
  }
}
