/**
 * Hands finished mails to SMTP servers over a pool of kept-open connections.
 */
import { toAsciiAddress } from './address.js';
import { createServerList, type ServerList } from './smtp-servers.js';
import { SmtpSession, type SmtpMail, type SmtpTimeouts } from './smtp-session.js';
import { parseSmtpUrl } from './smtp-url.js';
import { TransportError } from './transport-error.js';

export interface TransportOptions {
  /** In order of preference: a later one is used while the earlier ones can't be reached. */
  urls: string[];
  /** Most connections at a time, over all servers. */
  connections: number;
  timeouts?: Partial<SmtpTimeouts>;
  /** Mails after which a connection is renewed; default 1,000. */
  maxMails?: number;
  /** Milliseconds after which an unused connection is ended, before the server does it; default 30 seconds. */
  maxIdleMs?: number;
  /** Milliseconds for which a server that couldn't be reached is left alone; default 30 seconds. */
  coolDownMs?: number;
}

export interface SendOptions {
  /** Envelope sender; bounces go there. */
  from: string;
  to: string;
  /** The finished message. */
  raw: Buffer;
  /**
   * Ends the waiting for a connection. A conversation that has begun is finished: cutting it off would leave its
   * outcome unknown.
   */
  signal?: AbortSignal;
}

export interface SendResult {
  /** The server's answer to the content, `250 …`. */
  response: string;
  /** `host:port` */
  server: string;
}

export interface Transport {
  /**
   * Hands one mail over; waits for a free connection without limit, so a caller bounds how many it has under way.
   *
   * @throws TransportError; the signal's reason when it was aborted before a connection was free
   */
  send: (mail: SendOptions) => Promise<SendResult>;
  /** Connections that are free or not opened yet: how many sends would begin at once. */
  idle: () => number;
  /** Connects (and authenticates) once. @throws TransportError when no server can be reached */
  verify: () => Promise<void>;
  /** Takes no more mails, gives those under way `graceMs`, then closes everything. */
  close: (options: { graceMs: number }) => Promise<void>;
}

const DEFAULT_TIMEOUTS: SmtpTimeouts = { connectMs: 30_000, replyMs: 300_000 };

/**
 * A transport over SMTP.
 *
 * @throws TypeError for a URL that is none
 */
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
    if (options.urls.length === 0) throw new TypeError('A transport needs an SMTP URL');
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
    await this.#enter(signal);
    try {
      return await this.#deliver(mail);
    } finally {
      this.#leave();
    }
  }

  async #deliver(mail: SmtpMail): Promise<SendResult> {
    const kept = this.#takeFree();
    if (kept) {
      try {
        return await this.#deliverOver(kept, mail);
      } catch (error) {
        // The connection died while it was unused: nothing was tried yet.
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

  /** The connection that was used last: the others may end unused, and the pool shrinks to what is needed. */
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

  async #enter(signal?: AbortSignal): Promise<void> {
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

  /** Gives the place to who has waited longest. */
  #leave(): void {
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
      // Who is still in conversation is cut off; who said goodbye ends by itself.
      if (this.#busy === 0) return;
      this.#cutOff = true;
      for (const session of this.#open) session.close();
    }
  }
}

const closed = (): TransportError =>
  new TransportError('The transport is closed', { kind: 'connection', stage: 'connect' });

function toMail(from: string, to: string, raw: Buffer): SmtpMail {
  try {
    return { from: toAsciiAddress(from), to: toAsciiAddress(to), raw };
  } catch (cause) {
    throw new TransportError('An address can not be written into the envelope', {
      kind: 'permanent',
      stage: 'envelope',
      cause,
    });
  }
}
