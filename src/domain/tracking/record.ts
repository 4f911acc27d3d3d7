/** Records hits of tracking links. The response to a hit never fails because of that, and waits for it only briefly. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../backoff.js';
import { isPassing } from '../../db/errors.js';
import type { Queryable } from '../../db/pool.js';
import { enqueueHits, type NewHit } from './sql.js';
import type { Wake } from '../../db/wake.js';
import type { Log } from '../../log.js';

export type RecordedHit = Omit<NewHit, 'ageMs' | 'at'>;

export interface HitRecorder {
  /**
   * Records a hit in a batch with concurrent ones. Resolves when it is committed, or after 300 ms, or immediately while
   * the database is unavailable; the hit then waits in memory. Never rejects.
   */
  record: (hit: RecordedHit) => Promise<void>;
  /** Waits up to 5 s for unrecorded hits, and logs how many are lost. */
  close: () => Promise<void>;
}

export interface RecorderOptions {
  pool: Queryable;
  log: Log;
  wake: Wake;
  /** Hits kept in memory, of about 1 KB each. Further hits are lost, and the log has their number. Default 20,000. */
  maxHits?: number;
}

/** Hits per statement. */
const HIT_BATCH_SIZE = 500;
const RECORD_WAIT_MS = 300;
const CLOSE_TIMEOUT_MS = 5000;
const LOST_LOG_INTERVAL_MS = 10_000;

interface Waiting {
  hit: RecordedHit;
  /** performance.now() at its arrival. */
  receivedAt: number;
  done: () => void;
}

export function createHitRecorder({ pool, log, wake, maxHits = 20_000 }: RecorderOptions): HitRecorder {
  let waiting: Waiting[] = [];
  let inFlight = 0;
  let flushing: Promise<void> | null = null;
  /** Whether the database was unavailable for the last statement. */
  let isUnavailable = false;
  let lost = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;

  const logLost = (): void => {
    if (lost === 0 || performance.now() - loggedAt < LOST_LOG_INTERVAL_MS) return;
    loggedAt = performance.now();
    log.error(
      { lost, kept: waiting.length + inFlight },
      'Tracking hits were lost: the database is unavailable and the memory for hits is full',
    );
    lost = 0;
  };

  const insertBatch = async (batch: Waiting[]): Promise<void> => {
    const now = performance.now();
    await enqueueHits(
      pool,
      batch.map(({ hit, receivedAt }) => ({ ...hit, ageMs: now - receivedAt })),
    );
  };

  /** @returns the hits that cannot be recorded now */
  const flushBatch = async (batch: Waiting[]): Promise<Waiting[]> => {
    try {
      await insertBatch(batch);
    } catch (error) {
      if (isPassing(error)) {
        if (!isUnavailable) log.warn({ err: error }, 'Tracking hits wait in memory until the database is available');
        return batch;
      }
      // Insert one by one, so that a rejected hit does not lose the others.
      if (batch.length > 1) {
        const left: Waiting[] = [];
        for (const one of batch) left.push(...(await flushBatch([one])));
        return left;
      }
      log.error({ err: error, emailId: batch[0]?.hit.emailId }, 'A tracking hit was lost: the database rejects it');
    }
    for (const { done } of batch) done();
    return [];
  };

  const flush = async (): Promise<void> => {
    for (let failures = 0; waiting.length > 0;) {
      const batch = waiting.slice(0, HIT_BATCH_SIZE);
      waiting = waiting.slice(HIT_BATCH_SIZE);
      inFlight = batch.length;
      const left = await flushBatch(batch);
      inFlight = 0;
      isUnavailable = left.length > 0;
      if (!isUnavailable) {
        failures = 0;
        wake('hits');
        continue;
      }
      waiting = [...left, ...waiting];
      // Responses do not wait for an unavailable database.
      for (const { done } of waiting) done();
      logLost();
      await sleep(backoffMs(++failures, { minMs: 100, maxMs: 5000 }));
    }
    logLost();
  };

  const startFlush = (): void => {
    flushing ??= flush().finally(() => {
      flushing = null;
      if (waiting.length > 0) startFlush();
    });
  };

  return {
    async record(hit) {
      if (waiting.length + inFlight >= maxHits) {
        lost++;
        logLost();
        return;
      }
      let done: () => void = () => undefined;
      const recorded = new Promise<void>((resolve) => (done = resolve));
      waiting.push({ hit, receivedAt: performance.now(), done });
      // In the next turn of the event loop, so that all requests of this turn share a statement.
      if (!flushing) setImmediate(startFlush);
      if (isUnavailable) return;
      const timer = setTimeout(done, RECORD_WAIT_MS);
      await recorded;
      clearTimeout(timer);
    },
    async close() {
      if (waiting.length > 0) startFlush();
      const timeout = new AbortController();
      await Promise.race([
        flushing,
        sleep(CLOSE_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => undefined),
      ]);
      timeout.abort();
      lost += waiting.length + inFlight;
      loggedAt = Number.NEGATIVE_INFINITY;
      logLost();
    },
  };
}
