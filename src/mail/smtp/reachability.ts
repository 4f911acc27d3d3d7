/** Whether emails can be taken and connections opened, after failures of the servers. */
import { createOutage, endOutage, noteFailure, type Outage, type OutagePause } from './outage.js';

export class Reachability {
  /** Begins when a connection cannot be opened or ends without a reply to an email; the next such reply ends it. */
  readonly outage = createOutage();
  /** Begins when a connection cannot be opened: a server can limit its connections while it accepts email on others. */
  readonly #openOutage = createOutage();
  readonly #pause: OutagePause | undefined;
  readonly #onResume: () => void;
  readonly #timers = new Map<Outage, NodeJS.Timeout>();
  #isStopped = false;
  /** The email that probes the servers after an outage. */
  #probe: object | null = null;

  constructor(pause: OutagePause | undefined, onResume: () => void) {
    this.#pause = pause;
    this.#onResume = onResume;
  }

  /** Whether an email can be taken: during an outage, one after each pause. */
  get canTake(): boolean {
    const { failures, until } = this.outage;
    return failures === 0 || (this.#probe === null && Date.now() >= until);
  }

  /** Whether another connection can be opened. @param open the open connections @param opening those being opened */
  canOpen(open: number, opening: number): boolean {
    const { failures, until } = this.#openOutage;
    return failures === 0 || (opening === 0 && (open === 0 || Date.now() >= until));
  }

  noteTaken(email: object): void {
    if (this.outage.failures > 0) this.#probe = email;
  }

  noteResult(email: object, { isReply }: { isReply: boolean }): void {
    if (this.#probe === email) this.#probe = null;
    if (isReply && this.outage.failures > 0) endOutage(this.outage);
  }

  noteOpened(): void {
    endOutage(this.#openOutage);
  }

  noteOpenFailure(): void {
    this.noteFailure();
    this.#begin(this.#openOutage);
  }

  noteFailure(): void {
    this.#begin(this.outage);
  }

  /** Ends the timers. No pause ends after that. */
  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #begin(outage: Outage): void {
    noteFailure(outage, this.#pause);
    clearTimeout(this.#timers.get(outage));
    if (this.#isStopped) return;
    // One more millisecond, because a timer can fire before the clock has reached its time.
    this.#timers.set(outage, setTimeout(this.#onResume, Math.max(0, outage.until - Date.now()) + 1));
  }
}
