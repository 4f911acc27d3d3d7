/** Sends single emails as promises, on top of the SMTP client. */
import { isServerFailure, TransportError } from './errors.js';
import type { SmtpJob, SmtpResult } from './job.js';
import type { JobSource } from './sources.js';

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

interface Waiting {
  job: SmtpJob;
  reject: (reason: unknown) => void;
  unlisten: () => void;
}

/** The source of the emails of `send`. */
export class SendQueue implements JobSource {
  readonly #waiting = new Set<Waiting>();
  #isClosed = false;

  get size(): number {
    return this.#waiting.size;
  }

  next(): SmtpJob | null {
    for (const waiting of this.#waiting) {
      this.#remove(waiting);
      return waiting.job;
    }
    return null;
  }

  /** Adds an email; then the source must be woken. */
  async add({ from, to, raw, signal }: SendOptions, wake: () => void): Promise<SendResult> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closedError();
    return new Promise((resolve, reject) => {
      const onResult = (result: SmtpResult): void => {
        if (result.outcome === 'accepted') resolve({ response: result.response, server: result.server });
        else reject(toTransportError(result));
      };
      const abort = (): void => {
        this.#remove(waiting);
        reject(signal?.reason);
      };
      const unlisten = (): void => signal?.removeEventListener('abort', abort);
      const waiting: Waiting = { job: { from, to, content: raw, onResult }, reject, unlisten };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiting);
      wake();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting) {
      this.#remove(waiting);
      waiting.reject(closedError());
    }
  }

  #remove(waiting: Waiting): void {
    waiting.unlisten();
    this.#waiting.delete(waiting);
  }
}

export const closedError = (): TransportError =>
  new TransportError('The SMTP client is closed.', { kind: 'connection', stage: 'connect' });

function toTransportError(result: Exclude<SmtpResult, { outcome: 'accepted' }>): TransportError {
  if (result.outcome === 'inDoubt')
    return new TransportError(result.error, { kind: 'connection', stage: 'after-data', server: result.server });
  const { outcome, stage, error, response, server } = result;
  const code = response === null ? null : Number(response.slice(0, 3));
  const isAboutServer = outcome === 'unsent' || (code !== null && isServerFailure(code));
  const kind = isAboutServer ? 'connection' : result.permanent ? 'permanent' : 'transient';
  return new TransportError(error, {
    kind,
    // The server replied, so the outcome is known.
    stage: isAboutServer && stage === 'after-data' ? 'data' : stage,
    ...(response !== null && code !== null && { response, responseCode: code }),
    ...(server !== null && { server }),
  });
}
