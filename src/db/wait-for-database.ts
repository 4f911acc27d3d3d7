/**
 * Waits for PostgreSQL at the start of a process: a server that still recovers, restarts, or is not reachable yet only
 * delays the start. An invalid configuration ends it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Log } from '../log.js';
import { StartError } from '../process.js';
import { isPassing, sqlState } from './errors.js';

export interface DatabaseWaitOptions {
  databaseUrl: string;
  log: Log;
  /** Ends the wait, for example when the process receives SIGTERM. */
  signal?: AbortSignal;
  /** Milliseconds between two log messages. Default 5,000. */
  logEveryMs?: number;
  /** Milliseconds after which one attempt to connect fails. Default 5,000. */
  connectTimeoutMs?: number;
}

/** The database rejects the configuration, so waiting does not help. */
export class DatabaseConfigError extends StartError {}

const DEFAULT_CONNECT_TIMEOUT_MS = 5000;
const DEFAULT_LOG_INTERVAL_MS = 5000;
const RETRY_DELAY_MS = 250;

/**
 * Waits until PostgreSQL accepts connections.
 *
 * @throws DatabaseConfigError if the URL, the user, the password, or the database is wrong; the reason of `signal` if
 *   it is aborted
 */
export async function waitForDatabase(options: DatabaseWaitOptions): Promise<void> {
  endSession(await connectWhenAvailable(options));
}

/**
 * Like {@link waitForDatabase}, but returns the connection, which the caller ends.
 *
 * @throws the same errors
 */
export async function connectWhenAvailable(options: DatabaseWaitOptions): Promise<Client> {
  return retryUntilAvailable(async () => {
    const client = createClient(options.databaseUrl, options.connectTimeoutMs);
    // A connection that breaks between two queries emits an event, which would end the process without a listener.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return client;
    } catch (error) {
      endSession(client);
      throw error;
    }
  }, options);
}

/** Does not wait: the server may never confirm the end of the session. */
function endSession(client: Client): void {
  void client.end().catch(() => undefined);
}

/**
 * Repeats `attempt` while PostgreSQL is unavailable, and logs every few seconds what it waits for.
 *
 * @returns the result of the first attempt that succeeds
 * @throws DatabaseConfigError, the reason of `signal`, or any error of `attempt` that is not about availability
 */
export async function retryUntilAvailable<T>(
  attempt: () => Promise<T>,
  { databaseUrl, log, signal, logEveryMs = DEFAULT_LOG_INTERVAL_MS }: DatabaseWaitOptions,
): Promise<T> {
  const target = describeTarget(databaseUrl);
  const startedAt = Date.now();
  let lastReason = 'no response';
  const logWait = (): void =>
    log.info(
      { ...target, reason: lastReason, waitedSeconds: Math.round((Date.now() - startedAt) / 1000) },
      'Waiting for PostgreSQL',
    );
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      try {
        const result = await abortable(attempt(), signal);
        if (timer) log.info({ ...target, waitedSeconds: (Date.now() - startedAt) / 1000 }, 'PostgreSQL is available');
        return result;
      } catch (error) {
        signal?.throwIfAborted();
        if (!isPassing(error)) {
          const explanation = explainRejection(error, target);
          throw explanation === null ? error : new DatabaseConfigError(explanation, { cause: error });
        }
        lastReason = reasonOf(error);
        if (!timer) {
          logWait();
          timer = setInterval(logWait, logEveryMs);
        }
      }
      await abortable(delay(RETRY_DELAY_MS), signal);
    }
  } finally {
    clearInterval(timer);
  }
}

interface Target {
  host: string;
  port: number;
  database: string;
  user: string;
}

function describeTarget(databaseUrl: string): Target {
  const { host, port, database = '', user = '' } = createClient(databaseUrl);
  return { host, port, database, user };
}

/** @throws DatabaseConfigError if the URL is not valid */
function createClient(databaseUrl: string, connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS): Client {
  // The driver reads text without a scheme as the name of a database on localhost.
  const isUrl = /^(postgres|postgresql|socket):/.test(databaseUrl);
  try {
    if (isUrl) return new Client({ connectionString: databaseUrl, connectionTimeoutMillis: connectTimeoutMs });
  } catch (error) {
    throw new DatabaseConfigError(`${URL_HELP} ${reasonOf(error)}.`, { cause: error });
  }
  throw new DatabaseConfigError(URL_HELP);
}

const URL_HELP =
  'DATABASE_URL is not a valid connection URL. The expected form is postgresql://user:password@host:5432/database.';

/** What to fix in the configuration; null if the error has another cause. */
function explainRejection(error: unknown, { host, port, database, user }: Target): string | null {
  const server = `PostgreSQL at ${host}:${port}`;
  const reason = reasonOf(error);
  switch (sqlState(error)) {
    case '28P01':
      return `${server} rejected the password of the user "${user}". Correct the user and the password in DATABASE_URL.`;
    case '28000':
      return `${server} rejected the user "${user}" (${reason}). Correct the user in DATABASE_URL, or allow it in pg_hba.conf.`;
    case '3D000':
      return `The database "${database}" does not exist on ${server}. Create it, or correct the name in DATABASE_URL.`;
    case '42501':
      return `The user "${user}" may not use the database "${database}" on ${server} (${reason}). Grant the permission.`;
  }
  if (/password must be a (non-empty )?string/.test(reason))
    return `${server} requires a password for the user "${user}". Add it to DATABASE_URL.`;
  if (/SSL|certificate/i.test(reason))
    return `No TLS connection to ${server} (${reason}). Correct sslmode or the certificates in DATABASE_URL.`;
  if (/invalid response|unrecognized|Unexpected message/i.test(reason))
    return `The server at ${host}:${port} is not PostgreSQL (${reason}). Correct the host and the port in DATABASE_URL.`;
  return null;
}

/** The message in one line. An error for several addresses of a host has none of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Rejects as soon as `signal` is aborted. The work itself continues, and its result is dropped. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
