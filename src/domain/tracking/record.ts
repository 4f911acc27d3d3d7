/**
 * Records hits of tracking links. The answer to a hit never fails because of that, and waits for it only while it is
 * quick.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../backoff.js';
import { isPassing, type Queryable } from '../../db/pool.js';
import { enqueueHits, type NewHit } from './sql.js';
import type { Wake } from '../../db/wake.js';
import type { Log } from '../../log.js';

export type RecordedHit = Omit<NewHit, 'ageMs' | 'at'>;

export interface HitRecorder {
  /**
   * Records a hit, with others that come meanwhile. Resolves when it is committed, at the latest after 300 ms, and at
   * once while the database is away: then the hit waits in memory. Never rejects.
   */
  record: (hit: RecordedHit) => Promise<void>;
  /** Waits up to 5 s for what is not recorded yet, and says how much is lost. */
  close: () => Promise<void>;
}

export interface RecorderOptions {
  pool: Queryable;
  log: Log;
  wake: Wake;
  /**
   * Hits that are kept in memory at most; what comes on top is counted in the log, and lost. Default 20,000, of about 1
   * KB each.
   */
  most?: number;
}

/** Hits of one statement. */
const TOGETHER = 500;
const PATIENCE = 300;
const FAREWELL = 5000;
/** At most one line about lost hits in this time. */
const LOG_EVERY = 10_000;

interface Waiting {
  hit: RecordedHit;
  /** performance.now() when it came. */
  at: number;
  done: () => void;
}

export function createHitRecorder({ pool, log, wake, most = 20_000 }: RecorderOptions): HitRecorder {
  let waiting: Waiting[] = [];
  let underWay = 0;
  let flushing: Promise<void> | null = null;
  /** Whether the last statement met no database. */
  let away = false;
  let lost = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  const tellLost = (): void => {
    if (lost === 0 || performance.now() - toldAt < LOG_EVERY) return;
    toldAt = performance.now();
    log.error(
      { lost, kept: waiting.length + underWay },
      'Hits of tracking links were lost: the database takes none, and no more fit into memory',
    );
    lost = 0;
  };

  const insert = async (batch: Waiting[]): Promise<void> => {
    const now = performance.now();
    await enqueueHits(
      pool,
      batch.map(({ hit, at }) => ({ ...hit, ageMs: now - at })),
    );
  };

  /** @returns what can't be recorded now */
  const flushBatch = async (batch: Waiting[]): Promise<Waiting[]> => {
    try {
      await insert(batch);
    } catch (error) {
      if (isPassing(error)) {
        if (!away) log.warn({ err: error }, 'Hits of tracking links wait in memory until the database is back');
        return batch;
      }
      // One that the database refuses must not take the others with it.
      if (batch.length > 1) {
        const left: Waiting[] = [];
        for (const one of batch) left.push(...(await flushBatch([one])));
        return left;
      }
      log.error(
        { err: error, emailId: batch[0]?.hit.emailId },
        'A hit of a tracking link was lost: the database refuses it',
      );
    }
    for (const { done } of batch) done();
    return [];
  };

  const flush = async (): Promise<void> => {
    for (let failures = 0; waiting.length > 0;) {
      const batch = waiting.slice(0, TOGETHER);
      waiting = waiting.slice(TOGETHER);
      underWay = batch.length;
      const left = await flushBatch(batch);
      underWay = 0;
      away = left.length > 0;
      if (!away) {
        failures = 0;
        wake('hits');
        continue;
      }
      waiting = [...left, ...waiting];
      // Nobody's answer waits for a database that is away.
      for (const { done } of waiting) done();
      tellLost();
      await sleep(backoffMs(++failures, { minMs: 100, maxMs: 5000 }));
    }
    tellLost();
  };

  const start = (): void => {
    flushing ??= flush().finally(() => {
      flushing = null;
      if (waiting.length > 0) start();
    });
  };

  return {
    async record(hit) {
      if (waiting.length + underWay >= most) {
        lost++;
        tellLost();
        return;
      }
      let done: () => void = () => undefined;
      const recorded = new Promise<void>((resolve) => (done = resolve));
      waiting.push({ hit, at: performance.now(), done });
      // In the next turn, so that all requests of this one go together.
      if (!flushing) setImmediate(start);
      if (away) return;
      const patience = setTimeout(done, PATIENCE);
      await recorded;
      clearTimeout(patience);
    },
    async close() {
      if (waiting.length > 0) start();
      const timer = new AbortController();
      await Promise.race([flushing, sleep(FAREWELL, undefined, { signal: timer.signal }).catch(() => undefined)]);
      timer.abort();
      lost += waiting.length + underWay;
      toldAt = Number.NEGATIVE_INFINITY;
      tellLost();
    },
  };
}
