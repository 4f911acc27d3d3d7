/** The life of a process: its parts start, and stop in a fixed order within time limits, no matter what ends it. */
import { createLog, type Log } from './log.js';

/** In the order in which they stop, with the milliseconds that each phase may take. */
const STOP_TIMEOUTS_MS = {
  /** Accepts nothing new and finishes the requests in flight. */
  requests: 25_000,
  /** Finishes claimed emails: longer than the worker's own grace time. */
  worker: 40_000,
  pools: 5_000,
  /** The embedded servers, which all other parts use. */
  servers: 30_000,
} as const;

export type Phase = keyof typeof STOP_TIMEOUTS_MS;

interface Stoppable {
  stop(): Promise<void>;
}

/** Ends a start. The message tells the operator what to fix, so it is printed without a stack. */
export class StartError extends Error {}

/** Thrown by `start` when the process is already stopping. */
export class StoppingError extends Error {}

export interface ProcessLife {
  /** Aborted when the process begins to stop. */
  signal: AbortSignal;
  /**
   * Starts a part and registers it for its phase. A part that is still starting when the process stops is stopped too.
   *
   * @throws StoppingError if the process is already stopping, or the error of `startPart`
   */
  start<T extends Stoppable>(phase: Phase, name: string, startPart: () => Promise<T>): Promise<T>;
  /** Stops everything and exits with `exitCode`. Only the first call has an effect. */
  end(reason: string, exitCode: number): Promise<void>;
}

// Ctrl-C in a terminal reaches the whole process group, and npm forwards it again: both are one request to stop.
const DUPLICATE_SIGNAL_MS = 1000;

/** Handles signals and uncaught errors of this process. SIGINT and SIGTERM stop it in phases; a second one kills it. */
export function manageProcess(log: Log): ProcessLife {
  const parts: Array<{ phase: Phase; name: string; stop: () => Promise<void> }> = [];
  const stopping = new AbortController();
  let ending: Promise<void> | null = null;
  let endingSince = 0;

  const end = (reason: string, exitCode: number): Promise<void> => {
    endingSince ||= Date.now();
    ending ??= stopAll(reason, exitCode);
    return ending;
  };

  async function stopAll(reason: string, exitCode: number): Promise<void> {
    log.info({ reason }, 'stopping');
    stopping.abort(new StoppingError(reason));
    for (const [phase, limit] of Object.entries(STOP_TIMEOUTS_MS)) {
      await Promise.all(parts.filter((part) => part.phase === phase).map((part) => stopPart(part, limit)));
    }
    log.info({ ms: Date.now() - endingSince }, 'stopped');
    process.exit(exitCode);
  }

  async function stopPart({ name, stop }: { name: string; stop: () => Promise<void> }, limit: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        log.error({ part: name, limit }, `${name} did not stop in time`);
        resolve();
      }, limit);
    });
    const stopped = stop().catch((error: unknown) =>
      log.error({ err: error, part: name }, `${name} did not stop cleanly`),
    );
    await Promise.race([stopped, timeout]);
    clearTimeout(timer);
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (ending && Date.now() - endingSince < DUPLICATE_SIGNAL_MS) return;
      if (ending) {
        log.warn({ signal }, 'received a second signal: exiting now');
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
  // A reader that goes away (`npm start | head`) does not stop the process.
  process.stdout.on('error', () => undefined);

  return {
    signal: stopping.signal,
    end,
    start(phase, name, startPart) {
      if (ending) throw new StoppingError(`${name} was not started: the process is stopping`);
      const starting = startPart();
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
 * Runs `main` as the main part of this process. If it fails, the parts that already run are stopped, and the process
 * ends with code 1: after one line on stderr for an error that the operator can fix, after a logged stack otherwise.
 */
export async function runProcess(main: (life: ProcessLife, log: Log) => Promise<void>): Promise<void> {
  const log = createLog(process.env.LOG_LEVEL || 'info');
  const life = manageProcess(log);
  try {
    await main(life, log);
  } catch (error) {
    // An interrupted start fails somewhere, because the servers that it needs are stopping.
    if (!life.signal.aborted) reportStartError(error, log);
    await life.end('did not start', 1);
  }
}

function reportStartError(error: unknown, log: Log): void {
  const message = explainStartError(error);
  if (message === null) log.fatal({ err: error }, 'did not start');
  // At exit, so that it is the last line and not lost among the log lines of the stop.
  else process.once('exit', () => process.stderr.write(`\n${message}\n\n`));
}

/** One line for an error that the operator can fix, or null. */
export function explainStartError(error: unknown): string | null {
  if (error instanceof StartError) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error)
    return `Port ${String(error.port)} is already in use. Stop the program that listens on it, or set PORT.`;
  return null;
}
