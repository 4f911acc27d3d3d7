/**
 * Keeps an embedded server running: one that dies is started again at the same address, a few times.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../src/log.js';

export interface SupervisedServer {
  /** Resolves when the server is gone, asked or unasked, with what is known of the reason. Never rejects. */
  exited: Promise<unknown>;
  stop(): Promise<void>;
}

export interface SuperviseOptions<T extends SupervisedServer> {
  name: string;
  log: Log;
  /** Starts the server; `previous` is the one that died, whose address must be taken again. */
  start: (previous?: T) => Promise<T>;
  /** Called once when the server can't be brought back. */
  onFailure: (error: Error) => void;
}

const RESTARTS = 3;
// A server that ran this long before it died starts with a clean slate.
const SETTLED_MS = 60_000;
const PAUSE_MS = 500;

/**
 * Starts a server and watches it.
 *
 * @throws what the first `start` throws
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
  const watching = watch();

  async function watch(): Promise<void> {
    let attempts = 0;
    for (let server = first; ;) {
      const since = Date.now();
      const reason = await server.exited;
      if (stopping) return;
      current = null;
      attempts = Date.now() - since > SETTLED_MS ? 1 : attempts + 1;
      if (attempts > RESTARTS)
        return onFailure(new Error(`${name} died ${attempts} times in a row`, { cause: reason }));
      log.error({ err: reason, attempt: attempts }, `${name} died: it is started again`);
      await delay(PAUSE_MS * (attempts - 1));
      if (stopping) return;
      try {
        server = await start(server);
      } catch (error) {
        return onFailure(new Error(`${name} died and could not be started again`, { cause: error }));
      }
      current = server;
      log.info(`${name} runs again`);
    }
  }

  return {
    server: first,
    async stop() {
      stopping = true;
      // A restart that is under way is stopped when it is through.
      if (current === null) await watching;
      await current?.stop();
    },
  };
}
