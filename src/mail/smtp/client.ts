/** The SMTP client of a worker: its connections take emails from sources, over command pipelining. */
import { closedError } from './errors.js';
import type { HandOverHook } from './handover.js';
import { Pool, type PoolOptions } from './pool.js';
import type { JobSource, SourceHandle, SourceOptions } from './sources.js';

export type { HandOverHook, JobSource, SourceHandle, SourceOptions };

export interface SmtpClient {
  /** Adds a source, which is asked as soon as a connection is free. Sources of one priority take turns. */
  addSource: (source: JobSource, options: SourceOptions) => SourceHandle;
  /**
   * Registers a hook that receives the emails whose content is about to be written, once per turn of the event loop and
   * before the writes. It must not throw.
   */
  onHandOver: (hook: HandOverHook) => void;
  /** Whether a server is believed to be reachable. While none is, one email probes the servers after each pause. */
  readonly isReachable: boolean;
  /** Connects and authenticates once. @throws TransportError if no server is reachable */
  verify: () => Promise<void>;
  /** Takes no more emails, waits up to `graceMs` for those in flight, then closes all connections. */
  close: (options: { graceMs: number }) => Promise<void>;
}

/**
 * Creates an SMTP client for the servers of `urls`.
 *
 * @throws TypeError for an invalid URL
 */
export function createSmtpClient(options: PoolOptions): SmtpClient {
  const pool = new Pool(options);
  let isClosed = false;
  return {
    addSource: (source, sourceOptions) => pool.addSource(source, sourceOptions),
    onHandOver: (hook) => pool.handOver.addHook(hook),
    get isReachable() {
      return pool.reachability.outage.failures === 0;
    },
    async verify() {
      if (isClosed) throw closedError();
      await pool.verify();
    },
    async close({ graceMs }) {
      isClosed = true;
      await pool.close(graceMs);
    },
  };
}
