/** The connections of an SMTP client: takes emails from sources, and brings each one to its result. */
import { ComposeError } from '../address.js';
import { Connection, isLarge, type ConnectionEnd, type ConnectionOwner, type SmtpTimeouts } from './connection.js';
import { createTask, findObstacle, type Task } from './envelope.js';
import { closedError, TransportError } from './errors.js';
import { HandOver } from './handover.js';
import type { SmtpJob, SmtpResult, SmtpStage } from './job.js';
import { Lanes } from './lanes.js';
import type { OutagePause } from './outage.js';
import { Reachability } from './reachability.js';
import { createServerList, type ServerList } from './servers.js';
import { HeldTasks, Turns, type JobSource, type SourceHandle, type SourceOptions } from './sources.js';
import { parseSmtpUrl } from './url.js';

export interface PoolOptions {
  /** In order of preference. A later server is used while the earlier ones are unreachable. */
  urls: string[];
  /** The maximum number of connections to all servers together. */
  connections: number;
  timeouts?: Partial<SmtpTimeouts>;
  /** The number of emails after which a connection is replaced. Default 1,000. */
  maxMails?: number;
  /** Milliseconds after which an idle connection is closed, before the server closes it. Default 30 s. */
  maxIdleMs?: number;
  /** Milliseconds for which an unreachable server is not tried again. Default 30 s. */
  coolDownMs?: number;
  /** The pauses while no server is reachable. Default: 0.5 s, doubling to 15 s. */
  outagePause?: OutagePause;
}

const DEFAULT_TIMEOUTS: SmtpTimeouts = { connectMs: 30_000, replyMs: 300_000 };
const BULK_SHARE = 0.9;
const MAX_SWEEP_INTERVAL_MS = 1000;

export class Pool implements ConnectionOwner {
  readonly handOver: HandOver;
  readonly reachability: Reachability;
  readonly #limits: { connections: number; bulk: number; mails: number; idleMs: number };
  readonly #servers: ServerList;
  readonly #sources = { urgent: new Turns(), bulk: new Turns() };
  readonly #held = new HeldTasks();
  readonly #lanes = new Lanes();
  /** All connections that have not ended, including those that are being opened or that have sent QUIT. */
  readonly #connections = new Set<Connection>();
  /** The number of connections that are being opened for an email. */
  #opening = 0;
  /** Emails that were taken from a source and have no result. */
  #inFlight = 0;
  #isDispatchDue = false;
  #phase: 'open' | 'closing' | 'closed' = 'open';
  #onDrained: () => void = () => undefined;

  constructor(options: PoolOptions) {
    if (options.urls.length === 0) throw new TypeError('An SMTP client needs at least one URL.');
    const { connections, maxMails = 1000, maxIdleMs = 30_000, coolDownMs = 30_000 } = options;
    this.#limits = {
      connections,
      bulk: Math.max(1, Math.floor(connections * BULK_SHARE)),
      mails: maxMails,
      idleMs: maxIdleMs,
    };
    this.reachability = new Reachability(options.outagePause, () => this.dispatch());
    this.handOver = new HandOver({
      takeFollowing: (connection, task) => this.#takeFollowing(connection, task),
      onWithdrawn: (connection, task) => this.#withdraw(connection, task),
      onReturned: (task) => this.#held.add(task),
    });
    this.#servers = createServerList({
      servers: options.urls.map(parseSmtpUrl),
      coolDownMs,
      open: async (server) => {
        if (this.#phase === 'closed') throw closedError();
        const connection = new Connection(server, this);
        this.#connections.add(connection);
        await connection.open();
        return connection;
      },
      onBack: (connection) => this.#admit(connection),
    });
    const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    const shortestMs = Math.min(timeouts.connectMs, timeouts.replyMs, maxIdleMs);
    const sweep = setInterval(
      () => {
        this.#sweep(timeouts);
        if (this.#phase === 'closed' && this.#connections.size === 0) clearInterval(sweep);
      },
      Math.max(10, Math.min(shortestMs / 2, MAX_SWEEP_INTERVAL_MS)),
    );
    sweep.unref();
  }

  addSource(source: JobSource, { priority }: SourceOptions): SourceHandle {
    const handle = this.#sources[priority].add(source, () => this.dispatch());
    this.dispatch();
    return handle;
  }

  /** Opens a connection. @throws TransportError if no server is reachable */
  async verify(): Promise<void> {
    this.#admit(await this.#servers.connect());
  }

  /** Takes no more emails, waits up to `graceMs` for those in flight, then closes all connections. */
  async close(graceMs: number): Promise<void> {
    if (this.#phase !== 'open') return;
    this.#phase = 'closing';
    this.reachability.stop();
    this.#startAll();
    if (this.#inFlight > 0) await this.#waitUntilDrained(graceMs);
    this.#phase = 'closed';
    // Connections that have sent QUIT close by themselves.
    for (const connection of this.#connections) if (!connection.isQuitting) connection.close();
    for (let task = this.#held.next(); task; task = this.#held.next())
      this.#finish(task, unsent('connect', 'The SMTP client is closed.'));
  }

  async #waitUntilDrained(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }

  /**
   * Brings waiting emails and connections together at the end of this turn of the event loop. Idle connections come first:
   * an email that is announced with the content of another one has to wait for the reply to that content.
   */
  dispatch(): void {
    if (this.#isDispatchDue) return;
    this.#isDispatchDue = true;
    setImmediate(() => {
      this.#isDispatchDue = false;
      this.#startAll();
      if (this.handOver.run()) this.dispatch();
    });
  }

  /** Starts waiting emails, until they or the connections are used up. */
  #startAll(): void {
    let isProgress = true;
    while (isProgress) isProgress = this.#startNext();
  }

  #startNext(): boolean {
    const connection = this.#lanes.takeIdle();
    if (!connection) return this.#openNext();
    if (this.#mustEnd(connection)) {
      this.#retire(connection);
      return true;
    }
    const task = this.#takeFor(connection);
    if (task && !connection.hasEnded) {
      connection.announce(task);
      return true;
    }
    // A callback of a source can have ended the connection.
    if (task) this.#held.add(task);
    else if (!connection.hasEnded) this.#lanes.park(connection);
    return task !== null;
  }

  /** Opens a connection for an email that no open connection can take now. */
  #openNext(): boolean {
    if (this.#phase === 'closed') return false;
    if (this.#lanes.size + this.#opening >= this.#limits.connections) return false;
    if (!this.reachability.canOpen(this.#lanes.size, this.#opening)) return false;
    if (this.#held.size <= this.#opening) {
      const task = this.#takeFromSources(this.#hasBulkRoom());
      if (!task) return false;
      this.#held.add(task);
    }
    void this.#open();
    return true;
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const connection = await this.#servers.connect();
      this.#opening--;
      this.reachability.noteOpened();
      this.#admit(connection);
    } catch (error) {
      this.#opening--;
      if (!(error instanceof TransportError)) throw error;
      this.#failHeld(error);
    }
  }

  #admit(connection: Connection): void {
    if (this.#phase === 'closed') connection.close();
    if (connection.hasEnded) return this.dispatch();
    this.#lanes.park(connection);
    this.#startAll();
    if (connection.isIdle) connection.isReused = true;
  }

  /** Reports an email that waited for a connection; all of them if there is no other connection to wait for. */
  #failHeld({ message, response, server }: TransportError): void {
    this.reachability.noteOpenFailure();
    const isLast = this.#opening === 0 && this.#lanes.size === 0;
    for (let count = isLast ? this.#held.size : 1; count > 0; count--) {
      const task = this.#held.next();
      if (task) this.#finish(task, unsent('connect', message, response, server));
    }
    this.dispatch();
  }

  #takeFor(
    connection: Connection,
    take: (isBulkAllowed: boolean) => Task | null = (isBulkAllowed) => this.#take(isBulkAllowed),
  ): Task | null {
    for (;;) {
      const isBulkAllowed = this.#lanes.isBulk(connection) || this.#hasBulkRoom();
      const task = take(isBulkAllowed);
      if (!task) return null;
      const obstacle = findObstacle(task, connection.extensions);
      if (obstacle === null) {
        this.#lanes.assign(connection, task);
        return task;
      }
      this.#finish(task, refusal(obstacle, connection.server.name));
    }
  }

  #hasBulkRoom(): boolean {
    return this.#lanes.bulkCount + this.#held.bulkSize < this.#limits.bulk;
  }

  #take(isBulkAllowed: boolean): Task | null {
    return (
      this.#held.nextUrgent() ??
      this.#takeFrom('urgent') ??
      this.#held.nextBulk() ??
      (isBulkAllowed ? this.#takeFrom('bulk') : null)
    );
  }

  #takeFromSources(isBulkAllowed: boolean): Task | null {
    return this.#takeFrom('urgent') ?? (isBulkAllowed ? this.#takeFrom('bulk') : null);
  }

  #takeFrom(priority: 'urgent' | 'bulk'): Task | null {
    return this.#prepareNext(() => this.#sources[priority].next(), priority === 'bulk');
  }

  #prepareNext(next: () => SmtpJob | null, isBulk: boolean): Task | null {
    while (this.#phase === 'open' && this.reachability.canTake) {
      const job = next();
      if (!job) return null;
      const task = prepareTask(job, isBulk);
      if (!task) {
        job.onResult(refusal('An address of the envelope is malformed.', null));
        continue;
      }
      this.#inFlight++;
      this.reachability.noteTaken(task);
      return task;
    }
    return null;
  }

  #takeFollowing(connection: Connection, task: Task): Task | null {
    const canFollow =
      connection.extensions.pipelining &&
      this.#phase === 'open' &&
      !isLarge(task) &&
      connection.mails + 1 < this.#limits.mails &&
      !this.#servers.isOutranked(connection.server);
    if (!canFollow) return null;
    // An email that waits for a connection that is being opened would wait longer after another email.
    if (this.#held.size > this.#opening) return this.#takeFor(connection);
    return this.#takeFor(
      connection,
      (isBulkAllowed) =>
        this.#takeFrom('urgent') ??
        this.#prepareNext(() => task.job.takeSuccessor?.() ?? null, task.isBulk) ??
        (isBulkAllowed ? this.#takeFrom('bulk') : null),
    );
  }

  #mustEnd(connection: Connection): boolean {
    return (
      (this.#phase !== 'open' && this.#held.size === 0) ||
      connection.mails >= this.#limits.mails ||
      this.#servers.isOutranked(connection.server)
    );
  }

  #retire(connection: Connection): void {
    this.#lanes.remove(connection);
    connection.quit();
  }

  onReady(connection: Connection): void {
    this.handOver.add(connection);
    this.dispatch();
  }

  onResult(connection: Connection, task: Task, result: SmtpResult): void {
    if (connection.isIdle) this.#lanes.park(connection);
    this.#finish(task, result);
    this.dispatch();
  }

  onIdle(connection: Connection): void {
    this.#lanes.park(connection);
    this.dispatch();
  }

  onEnd(connection: Connection, { error, response, inDoubt, unsent: tasks }: ConnectionEnd): void {
    this.#connections.delete(connection);
    this.#lanes.remove(connection);
    const server = connection.server.name;
    if (!connection.isReused && (inDoubt || tasks.length > 0)) this.reachability.noteFailure();
    for (const { task, stage } of tasks) {
      // The server closed a connection that was idle or had sent emails, so this email was not the reason.
      const canRepeat = connection.isReused && stage === 'envelope' && this.#phase !== 'closed';
      if (canRepeat) this.#held.add(task);
      else this.#finish(task, unsent(stage, error, response, server));
    }
    if (inDoubt) this.#finish(inDoubt, { outcome: 'inDoubt', error, server });
    this.dispatch();
  }

  #withdraw(connection: Connection, task: Task): void {
    connection.withdraw();
    this.#finish(task, unsent('envelope', 'The email was withdrawn.'));
    this.dispatch();
  }

  #finish(task: Task, result: SmtpResult): void {
    this.#inFlight--;
    const isReply = result.outcome === 'accepted' || (result.outcome === 'rejected' && result.response !== null);
    this.reachability.noteResult(task, { isReply });
    task.job.onResult(result);
    if (this.#inFlight === 0) this.#onDrained();
  }

  #sweep(timeouts: SmtpTimeouts): void {
    const now = Date.now();
    for (const connection of this.#connections) {
      connection.checkTimeout(now, timeouts);
      if (connection.idleMs(now) > this.#limits.idleMs) this.#retire(connection);
    }
    // An outage that was noted elsewhere has no timer here.
    this.dispatch();
  }
}

function prepareTask(job: SmtpJob, isBulk: boolean): Task | null {
  try {
    return createTask(job, isBulk);
  } catch (error) {
    if (error instanceof ComposeError) return null;
    throw error;
  }
}

const refusal = (error: string, server: string | null): SmtpResult => ({
  outcome: 'rejected',
  permanent: true,
  stage: 'envelope',
  error,
  response: null,
  server,
});

const unsent = (
  stage: SmtpStage,
  error: string,
  response: string | null = null,
  server: string | null = null,
): SmtpResult => ({ outcome: 'unsent', stage, error, response, server });
