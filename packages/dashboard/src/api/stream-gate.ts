/**
 * The order of a project's live stream and its reads. Pages read after the stream is connected, so that each change is
 * either in what was read or in the stream.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { StreamStatus } from '../../../client/src/index.js';

/** A connection takes one round trip. If it takes longer than this, pages read without it and read again later. */
const MAX_WAIT_MS = 2000;

export class StreamGate {
  /** Passable: reads do not wait for a stream that is not connected. */
  #state: 'closed' | 'passable' | 'open' = 'closed';
  #waiting: Array<() => void> = [];

  /** Resolves when the stream is connected, when a connection has failed, or after two seconds. */
  async wait(): Promise<void> {
    if (this.#state !== 'closed') return;
    const timer = setTimeout(() => this.#pass('passable'), MAX_WAIT_MS);
    await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    clearTimeout(timer);
  }

  /**
   * Follows the status of the stream. When it is connected, it reads again what was read before.
   *
   * @param isResumed whether the stream continues where an earlier connection ended, so that nothing was missed
   */
  async follow(status: StreamStatus, isResumed: boolean, cache: QueryClient): Promise<void> {
    const before = this.#state;
    if (status === 'open') this.#pass('open');
    else if (status !== 'connecting' || before === 'open') this.#pass('passable');
    if (status !== 'open' || before === 'open' || isResumed) return;
    // The invalidation would not repeat a first read that is in flight.
    const reads = before === 'passable' ? cache.getQueryCache().findAll({ fetchStatus: 'fetching' }) : [];
    await Promise.allSettled(reads.map(async ({ promise }) => promise));
    await cache.invalidateQueries({
      // Editors keep the version that they began with, and find conflicts when they save.
      predicate: ({ state, observers }) =>
        state.data !== undefined && observers.every(({ options }) => options.staleTime !== Infinity),
    });
  }

  /** Reads wait again: the stream was left. */
  close(): void {
    this.#state = 'closed';
  }

  #pass(state: 'passable' | 'open'): void {
    this.#state = state;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
