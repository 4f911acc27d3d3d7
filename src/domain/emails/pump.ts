/**
 * Drains a queue of emails through the transport: claims as many emails as there are free connections, delivers them in
 * parallel, and records the results in batches, until no email is due.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../backoff.js';
import type { Pool } from '../../db/pool.js';
import { settle, type ClaimedEmail, type DeliveryResult } from './sql/delivery.js';
import type { Log } from '../../log.js';
import { endOutage, noteFailure, type Outage } from '../../mail/smtp/outage.js';
import type { Mailer } from './mailer.js';
import type { Seat, Slots } from './slots.js';

export interface PumpTools {
  pool: Pool;
  log: Log;
  workerId: string;
  mailer: Mailer;
  slots: Slots;
  /** Shared by all senders of a worker. While it lasts, nothing is claimed; after a pause, one email probes the server. */
  outage: Outage;
  /** Emails that this worker has claimed and not yet recorded. Its other SENDING rows were never handed over. */
  held: Set<string>;
}

export interface PumpRun {
  /** Records `results` and claims up to `limit` emails, in one statement. */
  claim: (limit: number, results: DeliveryResult[]) => Promise<ClaimedEmail[]>;
  /** Ends the run: emails in flight are finished and recorded, and no more are claimed. */
  signal: AbortSignal;
  /** The number of slots that stay free for other senders. */
  reserve: number;
  /** The maximum number of emails to claim in this run. */
  limit?: number;
  /** Receives a function that announces new emails. Without it, they are found within RECHECK_INTERVAL_MS. */
  listen?: (poke: () => void) => void;
  /** Called after each batch of results. */
  onSettled?: (results: DeliveryResult[]) => void;
}

export interface PumpResult {
  sent: number;
  failed: number;
  /** Postponed to a later attempt. */
  retried: number;
  cancelled: number;
  /** Why the run ended: no email is due, the limit, an abort, or an unreachable transport (retry after `pausedMs`). */
  reason: 'drained' | 'limit' | 'aborted' | 'outage';
  pausedMs: number;
}

/** How often an exhausted queue is read again while emails are in flight. */
const RECHECK_INTERVAL_MS = 500;

/**
 * Runs until the queue is drained, the limit is reached, the signal aborts, or the transport is unreachable.
 *
 * @throws the error of a claim, after the emails in flight were finished and recorded
 */
export async function pump(tools: PumpTools, run: PumpRun): Promise<PumpResult> {
  const seat = tools.slots.join(run.reserve);
  try {
    return await new Pump(tools, run, seat).drain();
  } finally {
    seat.leave();
  }
}

class Pump {
  readonly #tools: PumpTools;
  readonly #run: PumpRun;
  readonly #seat: Seat;
  readonly #counts = { SENT: 0, FAILED: 0, PENDING: 0, CANCELLED: 0 };
  #results: DeliveryResult[] = [];
  #inFlight = 0;
  #statementInFlight = false;
  #left: number;
  #reason: PumpResult['reason'] | null = null;
  #failure: unknown;
  /** The last claim returned fewer emails than requested, so another claim is useless until something changes. */
  #exhausted = false;
  #recheckTimer: NodeJS.Timeout | undefined;
  /** The number of announcements of new emails. A statement in flight may have missed the emails of the last one. */
  #announcements = 0;
  /** Emails in flight whose request continues when their result is recorded. */
  readonly #followed = new Set<string>();
  /** The email that probes the server after an outage. */
  #probe: string | null = null;
  #outageEnds: NodeJS.Timeout | undefined;
  #wake: () => void = () => undefined;

  constructor(tools: PumpTools, run: PumpRun, seat: Seat) {
    this.#tools = tools;
    this.#run = run;
    this.#seat = seat;
    this.#left = run.limit ?? Number.POSITIVE_INFINITY;
  }

  async drain(): Promise<PumpResult> {
    const { signal } = this.#run;
    const onAbort = (): void => this.#wake();
    signal.addEventListener('abort', onAbort);
    this.#run.listen?.(() => this.#announce());
    try {
      for (;;) {
        // Created before the state is read, so that no later change is missed.
        const woken = new Promise<void>((resolve) => (this.#wake = resolve));
        this.#reason ??= this.#endReason();
        this.#startStatement();
        const idle = this.#inFlight === 0 && !this.#statementInFlight && this.#results.length === 0;
        if (idle && this.#reason !== null) break;
        // If the run is idle without a reason, other senders hold all slots.
        await (idle ? Promise.race([woken, this.#seat.free()]) : woken);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(this.#recheckTimer);
      clearTimeout(this.#outageEnds);
    }
    if (this.#failure !== undefined) throw this.#failure;
    const { SENT, FAILED, PENDING, CANCELLED } = this.#counts;
    return {
      sent: SENT,
      failed: FAILED,
      retried: PENDING,
      cancelled: CANCELLED,
      reason: this.#reason,
      pausedMs: Math.max(0, this.#tools.outage.until - Date.now()),
    };
  }

  #endReason(): PumpResult['reason'] | null {
    if (this.#run.signal.aborted) return 'aborted';
    if (this.#left <= 0) return 'limit';
    // An unreachable server can block one email for minutes, so the run waits for it only if nothing else is in flight.
    return this.#inFlight === 0 && this.#tools.outage.until > Date.now() ? 'outage' : null;
  }

  /**
   * Starts a statement that records results and claims emails for free slots, if there is a reason to. Only one statement
   * is in flight, so that its successor covers more emails: a statement for ten emails costs little more than for one.
   */
  #startStatement(): void {
    if (this.#statementInFlight) return;
    const results = this.#results;
    const ended = results.length;
    const claims = this.#reason === null ? this.#claimLimit(ended) : 0;
    if (ended + claims === 0) return;
    this.#results = [];
    this.#left -= claims;
    this.#statementInFlight = true;
    void this.#recordAndClaim(results, claims).finally(() => {
      this.#statementInFlight = false;
      this.#wake();
    });
  }

  #announce(): void {
    this.#announcements++;
    this.#exhausted = false;
    this.#wake();
  }

  /** Returns how many emails to claim. Takes the slots: those of finished emails are reused first. */
  #claimLimit(ended: number): number {
    if (this.#exhausted && ended === 0 && this.#inFlight > 0) return 0;
    const { failures, until } = this.#tools.outage;
    if (failures > 0) {
      const pause = until - Date.now();
      if (pause > 0) {
        clearTimeout(this.#outageEnds);
        this.#outageEnds = setTimeout(() => this.#wake(), pause);
        return 0;
      }
      // After an outage, one email probes the server before the others follow.
      if (this.#probe !== null) return 0;
    } else this.#probe = null;
    const most = Math.min(this.#left, failures > 0 ? 1 : Number.POSITIVE_INFINITY);
    const reused = Math.min(ended, most, Math.max(0, this.#seat.share() - this.#inFlight));
    return reused + this.#seat.take(most - reused);
  }

  async #recordAndClaim(results: DeliveryResult[], claims: number): Promise<void> {
    let emails: ClaimedEmail[] = [];
    const announcements = this.#announcements;
    try {
      if (claims > 0) emails = await this.#run.claim(claims, results);
      else await record(this.#tools, results);
    } catch (error) {
      this.#failure = error;
      this.#reason = 'aborted';
      // It is unknown whether the statement was committed. Recording twice is harmless.
      if (results.length > 0) await record(this.#tools, results);
    }
    for (const { id, status } of results) {
      this.#tools.held.delete(id);
      this.#counts[status]++;
    }
    if (results.length > 0) this.#run.onSettled?.(results);
    // Reused slots stay with the new emails, the others are released.
    this.#seat.settle(results.length, claims, emails.length);
    this.#left += claims - emails.length;
    for (const email of emails) this.#deliver(email);
    const released = results.filter(({ id }) => this.#followed.delete(id)).length;
    // The statement did not see emails that its own results made due, nor emails that were inserted after its start.
    if (released > 0 || announcements !== this.#announcements) this.#exhausted = false;
    else if (emails.length < claims && !this.#exhausted) {
      this.#exhausted = true;
      this.#recheckTimer = setTimeout(() => this.#announce(), RECHECK_INTERVAL_MS);
    } else if (claims > 0 && emails.length === claims) this.#exhausted = false;
    // Results can make further emails due (the next email of a request), which this statement did not see.
    if (claims > 0 && emails.length === 0 && results.length === 0 && this.#inFlight === 0 && this.#results.length === 0)
      this.#reason ??= 'drained';
  }

  #deliver(email: ClaimedEmail): void {
    this.#inFlight++;
    this.#tools.held.add(email.id);
    if (email.followed) this.#followed.add(email.id);
    if (this.#tools.outage.failures > 0) this.#probe = email.id;
    void this.#tools.mailer.deliver(email).then(({ transportDown, ...result }) => {
      noteOutage(this.#tools.outage, transportDown);
      if (this.#probe === email.id) this.#probe = null;
      this.#inFlight--;
      this.#results.push(result);
      this.#wake();
    });
  }
}

/** Updates the outage: an accepted or rejected email ends it. Emails that needed no connection do not count. */
function noteOutage(outage: Outage, transportDown: boolean | null): void {
  if (transportDown === null) return;
  if (transportDown) noteFailure(outage);
  else endOutage(outage);
}

/** Records results. Retries until the database is available; the results keep their slots until then. */
async function record({ pool, log, workerId }: PumpTools, results: DeliveryResult[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await settle(pool, workerId, results);
      return;
    } catch (error) {
      log.warn({ err: error, emails: results.length }, 'Delivery results could not be recorded; retrying');
      await sleep(backoffMs(attempt, { minMs: 100, maxMs: 2000 }));
    }
  }
}
