/** A loop that runs only while there is work. */
import { setTimeout as pause } from 'node:timers/promises';

export interface PollLoopOptions {
  /** Milliseconds from the start of one turn to the start of the next. */
  intervalMs: number;
  /** The minimum pause from the end of a turn to the start of the next. Default: 50 ms. */
  minPauseMs?: number;
  /** Whether another turn is needed. */
  hasWork: () => boolean;
  runTurn: () => Promise<void>;
  /** Receives the error of a failed turn. The loop continues. Repeated failures are reported once. */
  failed: (error: unknown) => void;
}

const DEFAULT_MIN_PAUSE_MS = 50;

export class PollLoop {
  #isRunning = false;

  constructor(private readonly options: PollLoopOptions) {}

  /** Runs turns until there is no work. Has no effect if the loop is running. */
  start(): void {
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { intervalMs, minPauseMs = DEFAULT_MIN_PAUSE_MS, hasWork, runTurn, failed } = this.options;
    this.#isRunning = true;
    let hasFailed = false;
    while (hasWork()) {
      const started = performance.now();
      try {
        await runTurn();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) failed(error);
        hasFailed = true;
      }
      await pause(Math.max(minPauseMs, intervalMs - (performance.now() - started)));
    }
    this.#isRunning = false;
  }
}
