/** An SMTP client for tests. It keeps the emails and fails on request. */
import type { HandOverHook, SmtpClient } from '../../src/mail/smtp/client.js';
import type { SmtpJob, SmtpResult } from '../../src/mail/smtp/job.js';
import { Turns } from '../../src/mail/smtp/sources.js';
import { TransportError, type TransportErrorOptions } from '../../src/mail/smtp/errors.js';

export interface CapturedMail {
  from: string;
  to: string;
  raw: Buffer;
}

export interface CaptureTransport extends SmtpClient {
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

  const accept = (mail: CapturedMail): SmtpResult => {
    attempts.push(mail);
    const failure = failures.find(({ to, left }) => left > 0 && (to === undefined || to === mail.to));
    if (failure) {
      failure.left -= 1;
      return toResult(failure.error);
    }
    mails.push(mail);
    return { outcome: 'accepted', response: `250 2.0.0 captured as ${mails.length}`, server: 'capture' };
  };

  const sources = { urgent: new Turns(), bulk: new Turns() };
  const hooks: HandOverHook[] = [];
  const handOver = (job: SmtpJob): void => {
    if (job.canHandOver?.() === false) {
      const error = 'The email was withdrawn.';
      return job.onResult({ outcome: 'unsent', stage: 'envelope', error, response: null, server: null });
    }
    for (const hook of hooks) hook([job]);
    inFlight += 1;
    void Promise.resolve(held).then(() => {
      inFlight -= 1;
      job.onResult(accept({ from: job.from, to: job.to, raw: job.content }));
      dispatch();
    });
  };
  const dispatch = (): void => {
    if (closed) return;
    for (let free = connections - inFlight; free > 0; free--) {
      const job = sources.urgent.next() ?? sources.bulk.next();
      if (!job) return;
      handOver(job);
    }
  };

  return {
    mails,
    attempts,
    addSource(source, { priority }) {
      const handle = sources[priority].add(source, dispatch);
      setImmediate(dispatch);
      return handle;
    },
    onHandOver: (hook) => void hooks.push(hook),
    isReachable: true,
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
    verify: () => Promise.resolve(),
    close: () => {
      closed = true;
      return Promise.resolve();
    },
  };
}

function toResult({ kind, stage, message, response: reply, server = 'capture' }: TransportError): SmtpResult {
  const response = reply ?? null;
  if (kind !== 'connection')
    return { outcome: 'rejected', permanent: kind === 'permanent', stage, error: message, response, server };
  return stage === 'after-data'
    ? { outcome: 'inDoubt', error: message, server }
    : { outcome: 'unsent', stage, error: message, response, server };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
