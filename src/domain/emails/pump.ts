/**
 * Drains a queue of emails through the transport: claims as many as there are free connections, delivers them in parallel, records the results
 * in batches, until nothing is due.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../../db/pool.js';
import { settle, type ClaimedEmail, type DeliveryResult } from '../../db/sql/delivery.js';
import type { Log } from '../../log.js';
import type { Mailer } from './mailer.js';
import type { Slots } from './slots.js';

export interface PumpTools {
  pool: Pool;
  log: Log;
  workerId: string;
  mailer: Mailer;
  slots: Slots;
  /** Shared by all pumps of a worker: a server that can't be reached is asked again with one mail at a time. */
  outage: Outage;
  /** Emails that this worker has claimed and not recorded yet: rows that claim to be its and aren't here were never handed over. */
  held: Set<string>;
}

/** How the transport is: while it is down, nothing is claimed. */
export interface Outage {
  failures: number;
  /** Milliseconds of Date.now before which nothing is tried. */
  until: number;
}

export const createOutage = (): Outage => ({ failures: 0, until: 0 });

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

export interface PumpRun {
  claim: (limit: number) => Promise<ClaimedEmail[]>;
  /** Ends the run: what is under way is finished and recorded, nothing new is claimed. */
  signal: AbortSignal;
  /** Slots that are left to others. */
  reserve: number;
  /** Emails to claim at most in this run. */
  limit?: number;
  /** Told after each batch of results. */
  onSettled?: (results: DeliveryResult[]) => void;
}

export interface PumpResult {
  sent: number;
  failed: number;
  /** Put off to a later attempt. */
  retried: number;
  cancelled: number;
  /** Why the run ended: nothing due, the limit, an abort, or a transport that can't be reached until `pausedMs` have passed. */
  reason: 'drained' | 'limit' | 'aborted' | 'outage';
  pausedMs: number;
}

/** Runs until the queue is drained, the limit is reached, the signal aborts or the transport is down. */
export async function pump(tools: PumpTools, run: PumpRun): Promise<PumpResult> {
  const { slots, outage } = tools;
  const counts = { SENT: 0, FAILED: 0, PENDING: 0, CANCELLED: 0 };
  let results: DeliveryResult[] = [];
  let underWay = 0;
  let left = run.limit ?? Number.POSITIVE_INFINITY;
  let reason: PumpResult['reason'] | null = null;
  let failure: unknown;
  let wake: () => void = () => undefined;
  let woken = new Promise<void>((resolve) => (wake = resolve));

  const start = (email: ClaimedEmail): void => {
    underWay++;
    tools.held.add(email.id);
    void tools.mailer.deliver(email).then(({ transportDown, ...result }) => {
      noteOutage(outage, transportDown, result.status);
      underWay--;
      results.push(result);
      wake();
    });
  };
  const onAbort = (): void => wake();
  run.signal.addEventListener('abort', onAbort);

  try {
    for (;;) {
      if (results.length > 0) {
        const batch = results;
        results = [];
        await record(tools, batch);
        slots.release(batch.length);
        for (const { id } of batch) tools.held.delete(id);
        for (const { status } of batch) counts[status]++;
        run.onSettled?.(batch);
      }
      reason ??= endReason(run.signal, outage, left);
      if (reason === null) {
        const probing = outage.failures > 0;
        const taken = slots.take(Math.min(left, probing ? 1 : Number.POSITIVE_INFINITY), run.reserve);
        if (taken > 0) {
          // What is under way is finished and recorded before a claim's failure is thrown.
          const emails = await run.claim(taken).catch((error: unknown) => {
            failure = error;
            reason = 'aborted';
            return [];
          });
          slots.release(taken - emails.length);
          left -= emails.length;
          emails.forEach(start);
          if (reason === null && emails.length === 0 && underWay === 0 && results.length === 0) reason = 'drained';
        }
      }
      if (underWay === 0 && results.length === 0 && reason !== null) break;
      if (results.length === 0) {
        // Whatever comes first: a result of ours, or a slot of somebody else's.
        await (reason === null && underWay === 0 ? Promise.race([woken, slots.free(run.reserve)]) : woken);
        woken = new Promise<void>((resolve) => (wake = resolve));
      }
    }
  } finally {
    run.signal.removeEventListener('abort', onAbort);
  }
  if (failure !== undefined) throw failure;
  return { sent: counts.SENT, failed: counts.FAILED, retried: counts.PENDING, cancelled: counts.CANCELLED, reason, pausedMs: Math.max(0, outage.until - Date.now()) };
}

function endReason(signal: AbortSignal, outage: Outage, left: number): PumpResult['reason'] | null {
  if (signal.aborted) return 'aborted';
  if (left <= 0) return 'limit';
  return outage.until > Date.now() ? 'outage' : null;
}

/** One mail that was taken, or refused by a server that speaks, ends an outage. */
function noteOutage(outage: Outage, transportDown: boolean, status: DeliveryResult['status']): void {
  if (transportDown) {
    // Mails that were under way together fail together: they are one failure.
    if (outage.until > Date.now()) return;
    outage.until = Date.now() + Math.min(FIRST_PAUSE * 2 ** outage.failures, LONGEST_PAUSE);
    outage.failures++;
  } else if (status !== 'CANCELLED') {
    outage.failures = 0;
    outage.until = 0;
  }
}

/** Results are facts: without the database they wait for it, and hold their slots meanwhile. */
async function record({ pool, log, workerId }: PumpTools, results: DeliveryResult[]): Promise<void> {
  for (let wait = 100; ; wait = Math.min(wait * 2, 2000)) {
    try {
      await settle(pool, workerId, results);
      return;
    } catch (error) {
      log.warn({ err: error, emails: results.length }, 'Results can not be recorded yet');
      await sleep(wait);
    }
  }
}
