/**
 * The open chunks of a worker: makes their results durable every 25 to 100 ms, and records them in `emails` when a chunk is
 * complete, at the latest after SETTLE_INTERVAL_MS.
 *
 * While PostgreSQL is unavailable, results wait in memory and in the journal, and nothing more is handed over as soon
 * as the last flush is older than half a lease.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../backoff.js';
import { isPassing } from '../../db/errors.js';
import type { Pool } from '../../db/pool.js';
import type { Log } from '../../log.js';
import { allowanceAfter, createDeadline, planMarks, type OpenChunk } from './chunk.js';
import { flushChunks } from './sql/chunks.js';
import { readSettled, recordLateResults, settleChunk, type EmailResult, type Settlement } from './sql/settle.js';
import { State } from './states.js';

export interface Ledger {
  /** Registers a leased chunk and requests a flush, which allows its first emails. */
  add: (chunk: OpenChunk) => void;
  /** Records the result of an email in memory and in the journal. */
  noteResult: (chunk: OpenChunk, position: number, result: EmailResult) => void;
  /** Hands over nothing more of a chunk, and tells the database as soon as possible. */
  stopChunk: (chunk: OpenChunk) => void;
  /** Records the results of a chunk without emails in flight and gives up its lease. */
  leave: (chunk: OpenChunk) => Promise<void>;
  /** Flushes now, for example because a campaign was canceled. */
  wake: () => void;
  /** Whether the worker has the chunk in memory. */
  holds: (campaignId: string, chunk: number) => boolean;
  stop: () => Promise<void>;
}

export interface LedgerOptions {
  pool: Pool;
  log: Log;
  workerId: string;
  /** Leases expire after this time without a flush. */
  leaseMs: number;
}

/** The interval of flushes, each of which takes 1.5 ms of CPU: the minimum if many results wait, otherwise the maximum. */
const MIN_FLUSH_INTERVAL_MS = 25;
const MAX_FLUSH_INTERVAL_MS = 100;
/** Many results are this number, or half of the emails that the last flush allowed, so that sending does not wait for the next. */
const MAX_UNFLUSHED = 250;
/** Flushes without a change extend the leases, and notice a cancellation whose notification was lost. */
const IDLE_FLUSHES_PER_LEASE = 15;
/** A chunk that stays open records its results after this time, so that figures and `sent_at` are up to date. */
const SETTLE_INTERVAL_MS = 1000;
const MAX_LATE_ATTEMPTS = 30;
const MAX_LATE_STOP_MS = 1000;

export function createLedger({ pool, log, workerId, leaseMs }: LedgerOptions): Ledger {
  const chunks = new Set<OpenChunk>();
  const late = new Set<Promise<void>>();
  let isDirty = false;
  let flushing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let flushedAt = 0;
  let handedAtFlush = 0;
  let maxUnflushed = MAX_UNFLUSHED;
  /** Handed over emails of all chunks, since the start. */
  let handed = 0;
  let failures = 0;

  const idleMs = Math.min(1000, leaseMs / IDLE_FLUSHES_PER_LEASE);

  const schedule = (): void => {
    if (flushing || chunks.size === 0) return;
    clearTimeout(timer);
    const isUrgent = [...chunks].some(({ isStopped, isStopFlushed }) => isStopped && !isStopFlushed);
    const intervalMs = isUrgent ? 0 : isDirty ? dirtyMs() : idleMs;
    timer = setTimeout(startFlush, Math.max(0, intervalMs - (performance.now() - flushedAt)));
  };
  const dirtyMs = (): number => (handed - handedAtFlush < maxUnflushed ? MAX_FLUSH_INTERVAL_MS : MIN_FLUSH_INTERVAL_MS);
  const startFlush = (): void => {
    clearTimeout(timer);
    if (flushing || chunks.size === 0) return;
    flushing = flush().finally(() => {
      flushing = null;
      schedule();
    });
  };
  const touch = (): void => {
    if (isDirty) return;
    isDirty = true;
    schedule();
  };

  const flush = async (): Promise<void> => {
    isDirty = false;
    flushedAt = performance.now();
    for (const chunk of chunks) if (isSettleDue(chunk)) void settle(chunk, 'keep');
    const flushed = [...chunks].filter(({ settling, isLost }) => settling === null && !isLost);
    if (flushed.length === 0) return;
    const start = { wall: Date.now(), monotonic: performance.now() };
    const handedSince = handed - handedAtFlush;
    const marks = planAllMarks(flushed, handedSince);
    maxUnflushed = Math.min(MAX_UNFLUSHED, Math.ceil(allowanceAfter(handedSince) / 2));
    handedAtFlush = handed;
    const stopped = flushed.filter(({ isStopped }) => isStopped);
    const isJournaled = flushed.map(({ journal }) => journal !== null);
    const settled = flushed.map((chunk) => chunk.settled);
    try {
      const held = await flushChunks(
        pool,
        workerId,
        leaseMs,
        flushed.map((chunk, index) => ({
          campaignId: chunk.row.campaignId,
          chunk: chunk.row.chunk,
          states: chunk.states,
          settled: chunk.settled,
          mark: marks[index] ?? 0,
          isJournaled: isJournaled[index] ?? false,
          isStopped: chunk.isStopped,
        })),
      );
      failures = 0;
      const byChunk = new Map(held.map((one) => [`${one.campaignId}.${one.chunk}`, one]));
      for (const [index, chunk] of flushed.entries()) {
        const found = byChunk.get(`${chunk.row.campaignId}.${chunk.row.chunk}`);
        if (!found) {
          // Results that were settled in the meantime prevent the flush of an earlier state.
          if (chunk.settling === null && chunk.settled === settled[index] && chunks.has(chunk)) lose(chunk);
          continue;
        }
        if (!found.isActive) chunk.isStopped = true;
        // If the journal failed in the meantime, the next flush must tell PostgreSQL first.
        if (isJournaled[index] === (chunk.journal !== null)) chunk.mark = marks[index] ?? 0;
        chunk.deadline = createDeadline(leaseMs / 2, start);
      }
      for (const chunk of stopped) chunk.isStopFlushed = true;
      for (const chunk of flushed) chunk.onChange();
    } catch (error) {
      failures++;
      isDirty = true;
      log.warn({ err: error, chunks: flushed.length }, 'Results of a campaign could not be flushed; retrying');
      await sleep(backoffMs(failures, { minMs: MIN_FLUSH_INTERVAL_MS, maxMs: 1000 }));
    }
  };

  const isSettleDue = ({ settling, isLost, results }: OpenChunk): boolean => {
    if (settling !== null || isLost) return false;
    const [oldest] = results.values();
    return oldest !== undefined && performance.now() - oldest.receivedAt > SETTLE_INTERVAL_MS;
  };

  const lose = (chunk: OpenChunk): void => {
    if (chunk.isLost) return;
    chunk.isLost = true;
    chunks.delete(chunk);
    removeJournal(chunk);
    log.warn(
      { campaignId: chunk.row.campaignId, chunk: chunk.row.chunk, results: chunk.results.size },
      'The lease of a chunk was lost: another worker has taken it over',
    );
    recordLate(chunk.row.campaignId, [...chunk.results.values()]);
    chunk.onChange();
  };

  /** Settles again if more results arrive in the meantime, unless the chunk is lost. */
  const settle = (chunk: OpenChunk, afterwards: Settlement['afterwards']): Promise<void> => {
    const previous = chunk.settling ?? Promise.resolve();
    const settling: Promise<void> = previous
      .then(() => settleNow(chunk, afterwards))
      .finally(() => {
        if (chunk.settling === settling) chunk.settling = null;
        chunk.onChange();
        touch();
      });
    chunk.settling = settling;
    return settling;
  };

  const settleNow = async (chunk: OpenChunk, afterwards: Settlement['afterwards']): Promise<void> => {
    if (chunk.isLost || !chunks.has(chunk)) return;
    const results = [...chunk.results];
    const states = Buffer.from(chunk.states);
    for (const [position] of results) states[position] = State.SETTLED;
    const settledAfter = states.reduce((count, state) => count + (state === State.SETTLED ? 1 : 0), 0);
    if (afterwards === 'keep' && results.length === 0) return;
    const isOurs = await settleUntilAvailable({
      campaignId: chunk.row.campaignId,
      chunk: chunk.row.chunk,
      owner: workerId,
      settledBefore: chunk.settled,
      settledAfter,
      states,
      afterwards: afterwards === 'release' && settledAfter === chunk.row.size ? 'close' : afterwards,
      results: results.map(([, result]) => result),
    });
    if (!isOurs) {
      lose(chunk);
      return;
    }
    for (const [position, result] of results) {
      chunk.states[position] = State.SETTLED;
      if (chunk.results.get(position) === result) chunk.results.delete(position);
    }
    chunk.settled = settledAfter;
    if (afterwards === 'keep') return;
    chunks.delete(chunk);
    chunk.isClosed = true;
    removeJournal(chunk);
  };

  const removeJournal = (chunk: OpenChunk): void => {
    chunk.journal?.remove();
    chunk.journal = null;
  };

  /** @returns false if the chunk belongs to another worker */
  const settleUntilAvailable = async (settlement: Settlement): Promise<boolean> => {
    const { results } = settlement;
    for (let attempt = 1; ; attempt++) {
      try {
        if (await settleChunk(pool, settlement)) return true;
        // An earlier attempt may have been committed without a response.
        if (attempt === 1) return false;
        if (settlement.afterwards !== 'keep') {
          recordLate(settlement.campaignId, results);
          return true;
        }
        return (await readSettled(pool, settlement, workerId)) === settlement.settledAfter;
      } catch (error) {
        if (!isPassing(error) && attempt === 1)
          log.error({ err: error, chunk: settlement.chunk }, 'PostgreSQL rejected the results of a chunk; retrying');
        else log.warn({ err: error, emails: results.length }, 'Delivery results could not be recorded; retrying');
        await sleep(backoffMs(attempt, { minMs: 100, maxMs: 2000 }));
      }
    }
  };

  /** Records the SENT emails of a lost chunk, until the worker that took it over has settled them. */
  const recordLate = (campaignId: string, results: readonly EmailResult[]): void => {
    let left = results.filter(({ state }) => state === State.SENT);
    const record = async (): Promise<void> => {
      for (let attempt = 1; left.length > 0 && attempt <= MAX_LATE_ATTEMPTS; attempt++) {
        try {
          const missing = new Set(await recordLateResults(pool, campaignId, left));
          left = left.filter(({ emailId }) => missing.has(emailId));
        } catch (error) {
          log.warn({ err: error, emails: left.length }, 'Late results could not be recorded; retrying');
        }
        if (left.length > 0) await sleep(backoffMs(attempt, { minMs: 100, maxMs: 2000 }), undefined, { ref: false });
      }
    };
    const recording = record().finally(() => late.delete(recording));
    late.add(recording);
  };

  return {
    add(chunk) {
      chunks.add(chunk);
      isDirty = true;
      startFlush();
    },
    noteResult(chunk, position, result) {
      if (chunk.isLost) return recordLate(chunk.row.campaignId, [result]);
      chunk.states[position] = result.state;
      chunk.results.set(position, result);
      chunk.open--;
      handed++;
      chunk.journal?.noteResult(position, result);
      if (chunk.open === 0) void settle(chunk, 'close');
      else touch();
      if (handed - handedAtFlush === maxUnflushed) schedule();
    },
    stopChunk(chunk) {
      if (chunk.isStopped) return;
      chunk.isStopped = true;
      startFlush();
    },
    leave: (chunk) => settle(chunk, 'release'),
    wake() {
      isDirty = true;
      startFlush();
    },
    holds: (campaignId, chunk) => [...chunks].some(({ row }) => row.campaignId === campaignId && row.chunk === chunk),
    async stop() {
      clearTimeout(timer);
      await flushing;
      await Promise.race([Promise.all(late), sleep(MAX_LATE_STOP_MS, undefined, { ref: false })]);
    },
  };
}

/** Plans the marks of all chunks, per campaign. */
function planAllMarks(chunks: readonly OpenChunk[], handedSince: number): number[] {
  const marks = new Map<OpenChunk, number>();
  for (const campaignId of new Set(chunks.map(({ row }) => row.campaignId))) {
    const own = chunks.filter(({ row }) => row.campaignId === campaignId);
    for (const [index, mark] of planMarks(own, handedSince).entries()) {
      const chunk = own[index];
      if (chunk) marks.set(chunk, mark);
    }
  }
  return chunks.map((chunk) => marks.get(chunk) ?? 0);
}
