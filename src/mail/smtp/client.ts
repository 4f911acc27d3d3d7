/** The SMTP client of a worker: its connections take emails from sources. */
import type { SmtpJob, SmtpResult } from './job.js';
import { createTransport, type Transport, type TransportOptions } from './transport.js';
import { TransportError } from './errors.js';

export interface JobSource {
  /** Returns the next email, or null if none is ready; then it is called again only after `wake`. Must not throw. */
  next: () => SmtpJob | null;
}

export interface SourceHandle {
  /** Announces that `next` may return an email again. */
  wake: () => void;
  /** Ends the calls of `next`. Emails in flight still get their result. */
  remove: () => void;
}

export interface SourceOptions {
  /** Urgent sources (transactional email) come first. Bulk sources use at most nine tenths of the connections. */
  priority: 'urgent' | 'bulk';
}

export interface SmtpClient extends Transport {
  /** Adds a source, which is asked as soon as a connection is free. Sources of one priority take turns. */
  addSource: (source: JobSource, options: SourceOptions) => SourceHandle;
  /**
   * Registers a hook that receives the emails whose content is about to be written, once per turn of the event loop and
   * before the writes. It must not throw.
   */
  onHandOver: (hook: (jobs: SmtpJob[]) => void) => void;
  /** Whether a server is believed to be reachable. While none is, one email probes the servers after a pause. */
  readonly isReachable: boolean;
}

interface Entry {
  source: JobSource;
  priority: SourceOptions['priority'];
}

const PAUSE_MS = 500;

/** Creates an SMTP client. @throws TypeError for an invalid URL */
export function createSmtpClient(options: TransportOptions): SmtpClient {
  const transport = createTransport(options);
  const entries = new Set<Entry>();
  const hooks: Array<(jobs: SmtpJob[]) => void> = [];
  const bulkLimit = Math.max(1, Math.floor(options.connections * 0.9));
  let bulk = 0;
  let resumeAt = 0;

  const start = (job: SmtpJob, { priority }: Entry): void => {
    if (job.canHandOver?.() === false) {
      const stage = 'connect';
      return job.onResult({
        outcome: 'unsent',
        stage,
        error: 'The email was withdrawn.',
        response: null,
        server: null,
      });
    }
    for (const hook of hooks) hook([job]);
    if (priority === 'bulk') bulk++;
    void transport
      .send({ from: job.from, to: job.to, raw: job.content })
      .then((accepted): SmtpResult => ({ outcome: 'accepted', ...accepted }), toResult)
      .then((result) => {
        if (priority === 'bulk') bulk--;
        if (result.outcome === 'accepted' || result.outcome === 'rejected') resumeAt = 0;
        else {
          resumeAt = Date.now() + PAUSE_MS;
          setTimeout(dispatch, PAUSE_MS).unref();
        }
        job.onResult(result);
        dispatch();
      });
  };

  const startNext = (): boolean => {
    for (const priority of ['urgent', 'bulk'] as const) {
      if (priority === 'bulk' && bulk >= bulkLimit) return false;
      for (const entry of entries) {
        const job = entry.priority === priority ? entry.source.next() : null;
        if (!job) continue;
        // The next turn belongs to the other sources.
        entries.delete(entry);
        entries.add(entry);
        start(job, entry);
        return true;
      }
    }
    return false;
  };

  const dispatch = (): void => {
    let isStarted = true;
    while (isStarted) isStarted = transport.idle() > 0 && Date.now() >= resumeAt && startNext();
  };

  return {
    ...transport,
    addSource(source, { priority }) {
      const entry = { source, priority };
      entries.add(entry);
      setImmediate(dispatch);
      return { wake: dispatch, remove: () => void entries.delete(entry) };
    },
    onHandOver: (hook) => void hooks.push(hook),
    get isReachable() {
      return Date.now() >= resumeAt;
    },
  };
}

function toResult(error: unknown): SmtpResult {
  if (!(error instanceof TransportError)) throw error;
  const { kind, stage, message, response = null, server = null } = error;
  if (kind !== 'connection')
    return { outcome: 'rejected', permanent: kind === 'permanent', stage, error: message, response, server };
  if (error.ambiguous) return { outcome: 'inDoubt', error: message, server: server ?? '' };
  return { outcome: 'unsent', stage, error: message, response, server };
}
