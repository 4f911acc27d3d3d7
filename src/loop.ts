/** Loops: a look at a queue, or at the state of things, again and again until they are stopped. */
import { createPause } from './pause.js';

export interface Loop {
  /** There may be something to do: the next look comes at once, or right behind the one that is under way. */
  wake: () => void;
  /** Resolves when the look that is under way has ended. */
  stop: () => Promise<void>;
}

export interface LoopOptions {
  /** Milliseconds from a look to the next, where it doesn't say otherwise. */
  everyMs: number;
  /**
   * Looks once.
   *
   * @param signal aborted by a stop
   * @returns milliseconds to the next look, 0 for one at once; nothing: `everyMs`
   */
  look: (signal: AbortSignal) => Promise<number | void>;
  /** Told of a look that failed; the next one comes all the same. */
  failed: (error: unknown) => void;
}

/** Looks at once, and then until it is stopped. */
export function startLoop({ everyMs, look, failed }: LoopOptions): Loop {
  const pause = createPause();
  const stopping = new AbortController();
  let wanted = true;

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      wanted = false;
      let wait = everyMs;
      try {
        wait = (await look(stopping.signal)) ?? everyMs;
      } catch (error) {
        failed(error);
      }
      if (wait > 0 && !wanted && !stopping.signal.aborted) await pause.wait(wait);
    }
  };

  const running = run();
  return {
    wake() {
      wanted = true;
      pause.end();
    },
    async stop() {
      stopping.abort();
      pause.end();
      await running;
    },
  };
}
