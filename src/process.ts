/**
 * A process's beginning and end: what was started is stopped in a fixed order, within a bound, whatever ends the
 * process.
 */
import type { Log } from './log.js';

/** In the order in which they are stopped, with the milliseconds that each may take. */
const PHASES = {
  // Take nothing new, answer what is under way.
  requests: 25_000,
  // Hand over what was claimed: longer than the worker's own grace time.
  worker: 40_000,
  pools: 5_000,
  // The embedded servers, which everything above talks to.
  servers: 30_000,
} as const;

export type Phase = keyof typeof PHASES;

interface Stoppable {
  stop(): Promise<void>;
}

/** Thrown by `start` once the process is on its way out. */
export class StoppingError extends Error {}

export interface ProcessLife {
  /**
   * Starts a part, and has it stopped in its phase, also when the process is told to end while the part still starts.
   *
   * @throws StoppingError when the end has begun; else what `begin` throws
   */
  start<T extends Stoppable>(phase: Phase, name: string, begin: () => Promise<T>): Promise<T>;
  /** Whether the end has begun. */
  isEnding(): boolean;
  /** Stops everything and exits with `exitCode`. The first call counts. */
  end(reason: string, exitCode: number): Promise<void>;
}

// Ctrl-C in a terminal reaches the whole process group, and npm passes it on once more: that is one wish, not two.
const SAME_SIGNAL_MS = 1000;

/**
 * Takes over signals and uncaught errors of this process. SIGINT and SIGTERM end it in phases; a second one at once.
 */
export function manageProcess(log: Log): ProcessLife {
  const parts: Array<{ phase: Phase; name: string; stop: () => Promise<void> }> = [];
  let ending: Promise<void> | null = null;
  let endingSince = 0;

  const end = (reason: string, exitCode: number): Promise<void> => {
    endingSince ||= Date.now();
    ending ??= stopAll(reason, exitCode);
    return ending;
  };

  async function stopAll(reason: string, exitCode: number): Promise<void> {
    log.info({ reason }, 'stopping');
    for (const [phase, limit] of Object.entries(PHASES)) {
      await Promise.all(parts.filter((part) => part.phase === phase).map((part) => stopPart(part, limit)));
    }
    log.info({ ms: Date.now() - endingSince }, 'stopped');
    process.exit(exitCode);
  }

  async function stopPart({ name, stop }: { name: string; stop: () => Promise<void> }, limit: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        log.error({ part: name, limit }, `${name} did not stop in time`);
        resolve();
      }, limit);
    });
    const stopped = stop().catch((error: unknown) =>
      log.error({ err: error, part: name }, `${name} did not stop cleanly`),
    );
    await Promise.race([stopped, late]);
    clearTimeout(timer);
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (ending && Date.now() - endingSince < SAME_SIGNAL_MS) return;
      if (ending) {
        log.warn({ signal }, 'told to stop again: exiting at once');
        process.exit(1);
      }
      void end(signal, 0);
    });
  }
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error');
    void end('uncaught error', 1);
  });
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    void end('unhandled rejection', 1);
  });
  // A reader that goes away (`npm start | head`) is no reason to stop.
  process.stdout.on('error', () => undefined);

  return {
    end,
    isEnding: () => ending !== null,
    start(phase, name, begin) {
      if (ending) throw new StoppingError(`${name} was not started: the process is stopping`);
      const starting = begin();
      parts.push({
        phase,
        name,
        stop: async () => {
          const started = await starting.catch(() => null);
          await started?.stop();
        },
      });
      return starting;
    },
  };
}

/**
 * Runs `main` as this process's main part: a failure is said in one line where its reason is known, and stops what had
 * been started.
 *
 * @param explain the line for an error whose reason is known; null for any other, which is logged with its stack
 */
export async function runMain(
  life: ProcessLife,
  log: Log,
  main: () => Promise<void>,
  explain: (error: unknown) => string | null,
): Promise<void> {
  try {
    await main();
  } catch (error) {
    // A start that is interrupted fails somewhere, because what it needs is being stopped.
    if (!life.isEnding()) {
      const line = explain(error);
      if (line === null) log.fatal({ err: error }, 'did not start');
      // At the very end, where it is seen, and not lost between the lines of what is being stopped.
      else process.once('exit', () => process.stderr.write(`\n${line}\n\n`));
    }
    await life.end('did not start', 1);
  }
}
