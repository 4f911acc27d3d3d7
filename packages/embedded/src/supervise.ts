/** Keeps the embedded servers running: one that dies is restarted at the same address, up to three times in a row. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../src/log.js';

export interface SupervisedServer {
  /** Resolves when the server is gone for any reason, with what is known of it. Never rejects. */
  exited: Promise<unknown>;
  stop(): Promise<void>;
}

export interface SuperviseOptions<T extends SupervisedServer> {
  name: string;
  /** Starts the server. `previous` is the dead server, whose address must be reused. */
  start: (previous?: T) => Promise<T>;
  addressOf: (server: T) => string;
}

export interface Supervisor {
  /** Resolves if a server died and could not be restarted. */
  failed: Promise<Error>;
  /**
   * Starts a server and restarts it when it dies.
   *
   * @throws the error of the first `start`
   */
  run<T extends SupervisedServer>(options: SuperviseOptions<T>): Promise<T>;
  /** Stops all servers. A restart in progress is stopped once it has finished. */
  stop(): Promise<void>;
}

const MAX_RESTARTS = 3;
/** A server that ran for this long before it died gets all restarts again. */
const STABLE_AFTER_MS = 60_000;
const RESTART_DELAY_MS = 500;

export function createSupervisor(log: Log): Supervisor {
  const running = new Map<string, SupervisedServer>();
  const watches: Array<Promise<void>> = [];
  let isStopping = false;
  let reportFailure: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    reportFailure = resolve;
  });

  async function run<T extends SupervisedServer>(options: SuperviseOptions<T>): Promise<T> {
    const server = await options.start();
    running.set(options.name, server);
    const watch = restartWhenDead(server, options).catch((cause: unknown) =>
      reportFailure(new Error(`${options.name} died and could not be restarted`, { cause })),
    );
    watches.push(watch);
    return server;
  }

  async function restartWhenDead<T extends SupervisedServer>(
    first: T,
    { name, start, addressOf }: SuperviseOptions<T>,
  ): Promise<void> {
    for (let server = first, restarts = 0; ;) {
      const startedAt = Date.now();
      const reason = await server.exited;
      restarts = Date.now() - startedAt > STABLE_AFTER_MS ? 1 : restarts + 1;
      if (isStopping) return;
      if (restarts > MAX_RESTARTS) throw new Error(`${name} died ${restarts} times in a row`, { cause: reason });
      log.error({ err: reason, attempt: restarts }, `${name} died: restarting it`);
      await delay(RESTART_DELAY_MS * (restarts - 1));
      if (isStopping) return;
      server = await start(server);
      running.set(name, server);
      const hasMoved = addressOf(server) !== addressOf(first);
      if (isStopping || hasMoved) await server.stop();
      if (hasMoved) throw new Error('another program has taken its port');
      log.info(`${name} is running again`);
    }
  }

  return {
    failed,
    run,
    async stop() {
      isStopping = true;
      await settleAll([...running.values()].map((server) => server.stop()));
      await Promise.all(watches);
    },
  };
}

/**
 * Like `Promise.all`, but all promises settle first: a server that comes up late is registered before an error is
 * handled.
 */
export async function settleAll(promises: Array<Promise<unknown>>): Promise<void> {
  const results = await Promise.allSettled(promises);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
