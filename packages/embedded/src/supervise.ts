/** Keeps an embedded server running: one that dies is restarted at the same address, up to three times in a row. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../src/log.js';

export interface SupervisedServer {
  /** Resolves when the server is gone for any reason, with what is known of it. Never rejects. */
  exited: Promise<unknown>;
  stop(): Promise<void>;
}

export interface SuperviseOptions<T extends SupervisedServer> {
  name: string;
  log: Log;
  /** Starts the server. `previous` is the dead server, whose address must be reused. */
  start: (previous?: T) => Promise<T>;
  /** Called once if the server cannot be restarted. */
  onFailure: (error: Error) => void;
}

const MAX_RESTARTS = 3;
/** A server that ran for this long before it died gets all restarts again. */
const STABLE_AFTER_MS = 60_000;
const RESTART_DELAY_MS = 500;

/**
 * Starts a server and restarts it when it dies.
 *
 * @throws the error of the first `start`
 */
export async function supervise<T extends SupervisedServer>({
  name,
  log,
  start,
  onFailure,
}: SuperviseOptions<T>): Promise<{ server: T; stop: () => Promise<void> }> {
  const first = await start();
  let current: T | null = first;
  let stopping = false;
  const watching = watchServer();

  async function watchServer(): Promise<void> {
    let restarts = 0;
    for (let server = first; ;) {
      const startedAt = Date.now();
      const reason = await server.exited;
      if (stopping) return;
      current = null;
      restarts = Date.now() - startedAt > STABLE_AFTER_MS ? 1 : restarts + 1;
      if (restarts > MAX_RESTARTS)
        return onFailure(new Error(`${name} died ${restarts} times in a row`, { cause: reason }));
      log.error({ err: reason, attempt: restarts }, `${name} died: restarting it`);
      await delay(RESTART_DELAY_MS * (restarts - 1));
      if (stopping) return;
      try {
        server = await start(server);
      } catch (error) {
        return onFailure(new Error(`${name} died and could not be restarted`, { cause: error }));
      }
      current = server;
      log.info(`${name} is running again`);
    }
  }

  return {
    server: first,
    async stop() {
      stopping = true;
      // A restart in progress is stopped once it has finished.
      if (current === null) await watching;
      await current?.stop();
    },
  };
}
