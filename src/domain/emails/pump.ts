/**
 * Drains a queue of emails through the transport: claims as many as there are free connections, delivers them in
 * parallel, records the results in batches, until nothing is due.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../../db/pool.js';
import { settle, type ClaimedEmail, type DeliveryResult } from './sql/delivery.js';
import type { Log } from '../../log.js';
import type { Mailer } from './mailer.js';
import type { Seat, Slots } from './slots.js';

export interface PumpTools {
  pool: Pool;
  log: Log;
  workerId: string;
  mailer: Mailer;
  slots: Slots;
  /** Shared by all pumps of a worker: a server that can't be reached is asked again with one mail at a time. */
  outage: Outage;
  /**
   * Emails that this worker has claimed and not recorded yet: rows that claim to be its and aren't here were never
   * handed over.
   */
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
  /** Records `results` and claims up to `limit` emails, in one statement. */
  claim: (limit: number, results: DeliveryResult[]) => Promise<ClaimedEmail[]>;
  /** Ends the run: what is under way is finished and recorded, nothing new is claimed. */
  signal: AbortSignal;
  /** Slots that are left to others. */
  reserve: number;
  /** Emails to claim at most in this run. */
  limit?: number;
  /** Given a function that tells the run of new emails; without it they are found within half a second. */
  listen?: (poke: () => void) => void;
  /** Told after each batch of results. */
  onSettled?: (results: DeliveryResult[]) => void;
}

export interface PumpResult {
  sent: number;
  failed: number;
  /** Put off to a later attempt. */
  retried: number;
  cancelled: number;
  /**
   * Why the run ended: nothing due, the limit, an abort, or a transport that can't be reached until `pausedMs` have
   * passed.
   */
  reason: 'drained' | 'limit' | 'aborted' | 'outage';
  pausedMs: number;
}

/** How long a queue that had nothing more is left alone while mails are under way. */
const LOOK_AGAIN = 500;

/**
 * Runs until the queue is drained, the limit is reached, the signal aborts or the transport is down.
 *
 * @throws what a claim throws, after everything that is under way was finished and recorded
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
  #underWay = 0;
  #calling = false;
  #left: number;
  #reason: PumpResult['reason'] | null = null;
  #failure: unknown;
  /** The last claim got fewer than it asked for: no use to ask again until something has changed. */
  #dry = false;
  #lookAgain: NodeJS.Timeout | undefined;
  /** How often somebody has told of new emails: a statement that was under way then may have missed them. */
  #looks = 0;
  /** Those under way whose request goes on only when their result is recorded. */
  readonly #followed = new Set<string>();
  /** The mail that tries the server after an outage. */
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
    this.#run.listen?.(() => this.#look());
    try {
      for (;;) {
        // Before the look at the state, so that nothing that happens from here on is missed.
        const woken = new Promise<void>((resolve) => (this.#wake = resolve));
        this.#reason ??= this.#endReason();
        this.#call();
        const idle = this.#underWay === 0 && !this.#calling && this.#results.length === 0;
        if (idle && this.#reason !== null) break;
        // Idle without a reason: all slots are others'.
        await (idle ? Promise.race([woken, this.#seat.free()]) : woken);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(this.#lookAgain);
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
    // A dead server may keep one mail waiting for minutes: the run goes on beside it, or it would hold up all others.
    return this.#underWay === 0 && this.#tools.outage.until > Date.now() ? 'outage' : null;
  }

  /**
   * Starts a statement that records what has ended and claims for what is free, where there is reason to. One at a
   * time: while it is under way the next one's share gathers, and one statement for ten emails costs little more than
   * one for one.
   */
  #call(): void {
    if (this.#calling) return;
    const results = this.#results;
    const ended = results.length;
    const claims = this.#reason === null ? this.#room(ended) : 0;
    if (ended + claims === 0) return;
    this.#results = [];
    this.#left -= claims;
    this.#calling = true;
    void this.#recordAndClaim(results, claims).finally(() => {
      this.#calling = false;
      this.#wake();
    });
  }

  #look(): void {
    this.#looks++;
    this.#dry = false;
    this.#wake();
  }

  /**
   * How many to claim: the slots of what has ended are used again, others are taken. The slots are held from here on.
   */
  #room(ended: number): number {
    if (this.#dry && ended === 0 && this.#underWay > 0) return 0;
    const { failures, until } = this.#tools.outage;
    if (failures > 0) {
      const pause = until - Date.now();
      if (pause > 0) {
        clearTimeout(this.#outageEnds);
        this.#outageEnds = setTimeout(() => this.#wake(), pause);
        return 0;
      }
      // After an outage one mail tries the server before the others follow.
      if (this.#probe !== null) return 0;
    } else this.#probe = null;
    const most = Math.min(this.#left, failures > 0 ? 1 : Number.POSITIVE_INFINITY);
    const reused = Math.min(ended, most, Math.max(0, this.#seat.share() - this.#underWay));
    return reused + this.#seat.take(most - reused);
  }

  async #recordAndClaim(results: DeliveryResult[], claims: number): Promise<void> {
    let emails: ClaimedEmail[] = [];
    const looks = this.#looks;
    try {
      if (claims > 0) emails = await this.#run.claim(claims, results);
      else await record(this.#tools, results);
    } catch (error) {
      this.#failure = error;
      this.#reason = 'aborted';
      // Whether the statement was committed is unknown; recording twice is harmless.
      if (results.length > 0) await record(this.#tools, results);
    }
    for (const { id, status } of results) {
      this.#tools.held.delete(id);
      this.#counts[status]++;
    }
    if (results.length > 0) this.#run.onSettled?.(results);
    // Reused slots stay with the new emails; the rest go back.
    this.#seat.settle(results.length, claims, emails.length);
    this.#left += claims - emails.length;
    for (const email of emails) this.#start(email);
    const released = results.filter(({ id }) => this.#followed.delete(id)).length;
    // This statement saw neither the next mails of requests that its results let go on, nor what came since it began.
    if (released > 0 || looks !== this.#looks) this.#dry = false;
    else if (emails.length < claims && !this.#dry) {
      this.#dry = true;
      this.#lookAgain = setTimeout(() => this.#look(), LOOK_AGAIN);
    } else if (claims > 0 && emails.length === claims) this.#dry = false;
    // Results may have made others due (the next mail of a request), which this statement did not see.
    if (claims > 0 && emails.length === 0 && results.length === 0 && this.#underWay === 0 && this.#results.length === 0)
      this.#reason ??= 'drained';
  }

  #start(email: ClaimedEmail): void {
    this.#underWay++;
    this.#tools.held.add(email.id);
    if (email.followed) this.#followed.add(email.id);
    if (this.#tools.outage.failures > 0) this.#probe = email.id;
    void this.#tools.mailer.deliver(email).then(({ transportDown, ...result }) => {
      noteOutage(this.#tools.outage, transportDown);
      if (this.#probe === email.id) this.#probe = null;
      this.#underWay--;
      this.#results.push(result);
      this.#wake();
    });
  }
}

/**
 * One mail that was taken, or refused by a server that speaks, ends an outage; one that never reached it says nothing.
 */
function noteOutage(outage: Outage, transportDown: boolean | null): void {
  if (transportDown === null) return;
  if (transportDown) {
    // Mails that were under way together fail together: they are one failure.
    if (outage.until > Date.now()) return;
    outage.until = Date.now() + Math.min(FIRST_PAUSE * 2 ** outage.failures, LONGEST_PAUSE);
    outage.failures++;
  } else {
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
