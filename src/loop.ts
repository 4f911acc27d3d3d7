/** Background loops: repeat a piece of work, such as draining a queue, until they are stopped. */
import { createPulse } from './pause.js';

export interface Loop {
  /** Starts the next turn immediately, or right after the current one. */
  wake: () => void;
  /** Resolves when the current turn has ended. */
  stop: () => Promise<void>;
}

export interface LoopOptions {
  /** Milliseconds between two turns, unless a turn returns another number. */
  everyMs: number;
  /**
   * Runs one turn.
   *
   * @param signal aborted when the loop is stopped
   * @returns milliseconds until the next turn, 0 to continue immediately, or nothing for `everyMs`
   */
  runTurn: (signal: AbortSignal) => Promise<number | void>;
  /** Receives the error of a failed turn. The loop continues. */
  failed: (error: unknown) => void;
}

/** Runs the first turn immediately, and further turns until the loop is stopped. */
export function startLoop({ everyMs, runTurn, failed }: LoopOptions): Loop {
  const pause = createPulse();
  const stopping = new AbortController();
  let isWoken = true;

  const runTurns = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      isWoken = false;
      let waitMs = everyMs;
      try {
        waitMs = (await runTurn(stopping.signal)) ?? everyMs;
      } catch (error) {
        failed(error);
      }
      if (waitMs > 0 && !isWoken && !stopping.signal.aborted) await pause.wait(waitMs);
    }
  };

  const running = runTurns();
  return {
    wake() {
      isWoken = true;
      pause.fire();
    },
    async stop() {
      stopping.abort();
      pause.fire();
      await running;
    },
  };
}
