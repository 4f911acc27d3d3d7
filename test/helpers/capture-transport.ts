/** A transport for tests. It keeps the emails and fails on request. */
import type { SendOptions, SendResult, Transport } from '../../src/mail/smtp/transport.js';
import { TransportError, type TransportErrorOptions } from '../../src/mail/smtp/errors.js';

export interface CapturedMail {
  from: string;
  to: string;
  raw: Buffer;
}

export interface CaptureTransport extends Transport {
  /** The accepted emails, in order. */
  mails: CapturedMail[];
  /** All emails, including the failed ones. */
  attempts: CapturedMail[];
  /** Makes the next `times` (default 1) emails, or the next ones to `to`, fail with this error. */
  failNext: (failure: TransportErrorOptions & { message?: string; times?: number; to?: string }) => void;
  /** Holds emails back until the returned function is called. */
  hold: () => () => void;
}

/** @param options.connections the number of connections; default 20 */
export function createCaptureTransport(options: { connections?: number } = {}): CaptureTransport {
  const mails: CapturedMail[] = [];
  const attempts: CapturedMail[] = [];
  const failures: Array<{ error: TransportError; left: number; to?: string }> = [];
  const connections = options.connections ?? 20;
  let held: Promise<void> | null = null;
  let inFlight = 0;
  let closed = false;

  const accept = (mail: CapturedMail): SendResult => {
    attempts.push(mail);
    const failure = failures.find(({ to, left }) => left > 0 && (to === undefined || to === mail.to));
    if (failure) {
      failure.left -= 1;
      throw failure.error;
    }
    mails.push(mail);
    return { response: `250 2.0.0 captured as ${mails.length}`, server: 'capture' };
  };

  return {
    mails,
    attempts,
    send: async ({ from, to, raw, signal }: SendOptions) => {
      signal?.throwIfAborted();
      if (closed) throw new TransportError('The transport is closed', { kind: 'connection', stage: 'connect' });
      inFlight += 1;
      try {
        await held;
        return accept({ from, to, raw });
      } finally {
        inFlight -= 1;
      }
    },
    failNext: ({ message, times, to, ...failure }) => {
      failures.push({
        error: new TransportError(message ?? failure.response ?? 'An injected failure', failure),
        left: times ?? 1,
        to,
      });
    },
    hold: () => {
      const { promise, resolve } = deferred();
      held = promise;
      return () => {
        held = null;
        resolve();
      };
    },
    idle: () => Math.max(connections - inFlight, 0),
    verify: () => Promise.resolve(),
    close: () => {
      closed = true;
      return Promise.resolve();
    },
  };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
