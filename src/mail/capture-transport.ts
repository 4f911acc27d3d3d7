/**
 * A transport for tests: it keeps what is sent, and fails when it is told to.
 */
import type { SendOptions, SendResult, Transport } from './transport.js';
import { TransportError, type TransportErrorOptions } from './transport-error.js';

export interface CapturedMail {
  from: string;
  to: string;
  raw: Buffer;
}

export interface CaptureTransport extends Transport {
  /** What was accepted, in that order. */
  mails: CapturedMail[];
  /** What was tried, with what failed. */
  attempts: CapturedMail[];
  /** The next `times` (default 1) mails, to `to` where it is given, fail with this error. */
  failNext: (failure: TransportErrorOptions & { message?: string; times?: number; to?: string }) => void;
  /** Holds mails back until the returned function is called. */
  hold: () => () => void;
}

/** @param options.connections what `idle` answers while nothing is under way; default 20 */
export function createCaptureTransport(options: { connections?: number } = {}): CaptureTransport {
  const mails: CapturedMail[] = [];
  const attempts: CapturedMail[] = [];
  const failures: Array<{ error: TransportError; left: number; to?: string }> = [];
  const connections = options.connections ?? 20;
  let held: Promise<void> | null = null;
  let underWay = 0;
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
      underWay += 1;
      try {
        await held;
        return accept({ from, to, raw });
      } finally {
        underWay -= 1;
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
    idle: () => Math.max(connections - underWay, 0),
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
