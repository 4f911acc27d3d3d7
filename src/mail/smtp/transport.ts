/** Hands finished emails to SMTP servers over a pool of open connections. */
import { toAsciiAddress } from '../address.js';
import { createServerList, type ServerList } from './servers.js';
import { SmtpSession, type SmtpMail, type SmtpTimeouts } from './session.js';
import { parseSmtpUrl } from './url.js';
import { TransportError } from './errors.js';

export interface TransportOptions {
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
}

export interface SendOptions {
  /** The envelope sender, which receives bounces. */
  from: string;
  to: string;
  /** The finished message. */
  raw: Buffer;
  /** Aborts the wait for a connection. A started conversation is finished, because its outcome would be unknown. */
  signal?: AbortSignal;
}

export interface SendResult {
  /** The server's reply to the content, `250 …`. */
  response: string;
  /** `host:port` */
  server: string;
}

export interface Transport {
  /**
   * Hands over one email. Waits for a free connection without a timeout, so callers limit their emails in flight.
   *
   * @throws TransportError; the signal's reason if it was aborted before a connection was free
   */
  send: (mail: SendOptions) => Promise<SendResult>;
  /** The number of connections that are free or not yet opened: how many sends could begin immediately. */
  idle: () => number;
  /** Connects and authenticates once. @throws TransportError if no server is reachable */
  verify: () => Promise<void>;
  /** Rejects further emails, waits up to `graceMs` for those in flight, then closes all connections. */
  close: (options: { graceMs: number }) => Promise<void>;
}

const DEFAULT_TIMEOUTS: SmtpTimeouts = { connectMs: 30_000, replyMs: 300_000 };

/** Creates an SMTP transport. @throws TypeError for an invalid URL */
export function createTransport(options: TransportOptions): Transport {
  const pool = new Pool(options);
  return {
    send: (mail) => pool.send(mail),
    idle: () => pool.idle(),
    verify: () => pool.verify(),
    close: ({ graceMs }) => pool.close(graceMs),
  };
}

interface Waiter {
  grant: () => void;
  refuse: (error: unknown) => void;
}

class Pool {
  readonly #servers: ServerList;
  readonly #limit: number;
  readonly #maxMails: number;
  readonly #maxIdleMs: number;
  readonly #free: SmtpSession[] = [];
  readonly #open = new Set<SmtpSession>();
  readonly #waiting = new Set<Waiter>();
  readonly #sweep: NodeJS.Timeout;
  #busy = 0;
  #closing = false;
  #cutOff = false;
  #drained: (() => void) | null = null;

  constructor(options: TransportOptions) {
    if (options.urls.length === 0) throw new TypeError('A transport needs at least one SMTP URL.');
    this.#limit = options.connections;
    this.#maxMails = options.maxMails ?? 1000;
    this.#maxIdleMs = options.maxIdleMs ?? 30_000;
    const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#servers = createServerList({
      servers: options.urls.map(parseSmtpUrl),
      coolDownMs: options.coolDownMs ?? 30_000,
      open: async (server) => {
        const session = await SmtpSession.open(server, timeouts, (ended) => this.#forget(ended));
        if (session.alive) this.#open.add(session);
        return session;
      },
      onBack: (session) => (this.#closing ? session.quit() : this.#free.push(session)),
    });
    this.#sweep = setInterval(() => this.#endUnused(), Math.max(Math.min(this.#maxIdleMs / 2, 5000), 10));
    this.#sweep.unref();
  }

  async send({ from, to, raw, signal }: SendOptions): Promise<SendResult> {
    const mail = toMail(from, to, raw);
    await this.#acquirePlace(signal);
    try {
      return await this.#deliver(mail);
    } finally {
      this.#releasePlace();
    }
  }

  async #deliver(mail: SmtpMail): Promise<SendResult> {
    const kept = this.#takeFree();
    if (kept) {
      try {
        return await this.#deliverOver(kept, mail);
      } catch (error) {
        // The idle connection was already closed, so nothing of the email was sent.
        const unused =
          error instanceof TransportError && error.kind === 'connection' && error.stage === 'envelope' && !kept.alive;
        if (!unused) throw error;
      }
    }
    const session = await this.#servers.connect();
    if (this.#cutOff) {
      session.close();
      throw closed();
    }
    return this.#deliverOver(session, mail);
  }

  async #deliverOver(session: SmtpSession, mail: SmtpMail): Promise<SendResult> {
    try {
      return { response: await session.send(mail), server: session.server.name };
    } finally {
      this.#release(session);
    }
  }

  /** Takes the most recently used connection, so that the others become idle and the pool shrinks. */
  #takeFree(): SmtpSession | null {
    for (let session = this.#free.pop(); session; session = this.#free.pop()) {
      if (session.alive) return session;
      session.close();
    }
    return null;
  }

  #release(session: SmtpSession): void {
    if (!session.alive) return session.close();
    if (this.#closing || session.mails >= this.#maxMails || this.#servers.isOutranked(session.server))
      return session.quit();
    this.#free.push(session);
  }

  async #acquirePlace(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#closing) throw closed();
    if (this.#busy < this.#limit) {
      this.#busy += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        grant: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', abort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  /** Passes the place to the longest waiting email. */
  #releasePlace(): void {
    for (const waiter of this.#waiting) {
      this.#waiting.delete(waiter);
      waiter.grant();
      return;
    }
    this.#busy -= 1;
    if (this.#busy === 0) this.#drained?.();
  }

  #forget(session: SmtpSession): void {
    this.#open.delete(session);
    const at = this.#free.indexOf(session);
    if (at !== -1) this.#free.splice(at, 1);
  }

  #endUnused(): void {
    const since = Date.now() - this.#maxIdleMs;
    for (const session of this.#free.filter((free) => free.lastUsed < since)) {
      this.#forget(session);
      session.quit();
    }
  }

  idle(): number {
    return this.#closing ? 0 : this.#limit - this.#busy;
  }

  async verify(): Promise<void> {
    if (this.#closing) throw closed();
    this.#release(await this.#servers.connect());
  }

  async close(graceMs: number): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    clearInterval(this.#sweep);
    for (const waiter of this.#waiting) waiter.refuse(closed());
    this.#waiting.clear();
    for (const session of this.#free.splice(0)) session.quit();
    if (this.#busy > 0) {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#drained = resolve;
        }),
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, graceMs);
        }),
      ]);
      clearTimeout(timer);
      // Cut off the conversations in progress. Connections that sent QUIT close by themselves.
      if (this.#busy === 0) return;
      this.#cutOff = true;
      for (const session of this.#open) session.close();
    }
  }
}

const closed = (): TransportError =>
  new TransportError('The transport is closed.', { kind: 'connection', stage: 'connect' });

function toMail(from: string, to: string, raw: Buffer): SmtpMail {
  try {
    return { from: toAsciiAddress(from), to: toAsciiAddress(to), raw };
  } catch (cause) {
    throw new TransportError('An address of the envelope is malformed.', {
      kind: 'permanent',
      stage: 'envelope',
      cause,
    });
  }
}
