/** The PostgreSQL pool that Prisma and the hot paths share, and what a transaction and a lost connection look like. */
import { Pool as PgPool, types, type PoolClient } from 'pg';

export type Pool = PgPool;

/** Anything that runs a statement: the pool, or the client of a transaction. */
export type Queryable = Pick<PoolClient, 'query'>;

// Counts and sums come as bigint; none of ours passes 2^53.
types.setTypeParser(types.builtins.INT8, Number);

export interface PoolOptions {
  databaseUrl: string;
  /** Connections at most. */
  max: number;
  /** Shown in pg_stat_activity. */
  name: string;
  onError: (error: Error) => void;
}

/**
 * A pool that gives up on a connection after 5 s, so that a request meets a 503 instead of a hang when PostgreSQL is
 * gone.
 */
export function createPool({ databaseUrl, max, name, onError }: PoolOptions): Pool {
  const pool = new PgPool({
    connectionString: databaseUrl,
    max,
    application_name: name,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
  });
  // An idle connection that the server closes is an event, not a rejection: unheard it would end the process.
  pool.on('error', onError);
  // Nor has a client a listener from the moment in which the pool hands it out until a promise has brought it: its
  // server's last word may come in the same piece as the answer before it. Whoever then uses the client is told that it
  // is broken.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** Runs `work` in one transaction; anything that it throws rolls back. */
export async function transaction<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Between two statements a lost connection is only an event; the next statement fails by itself.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

const UNAVAILABLE_SQLSTATE = /^(08...|57P0[123]|53300|25006)$/;
const UNAVAILABLE_SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT',
]);
const UNAVAILABLE_PRISMA = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024']);
const UNAVAILABLE_MESSAGE =
  /Connection terminated|^timeout expired$|timeout exceeded when trying to connect|Client has encountered a connection error|connection is closed|Can't reach database server|DatabaseNotReachable|ConnectionClosed/i;

/**
 * PostgreSQL's own code of an error that Prisma throws, which keeps the driver's in its `meta`; undefined for any
 * other.
 */
function driverCode(error: Error): string | undefined {
  let found: unknown = error;
  for (const name of ['meta', 'driverAdapterError', 'cause', 'originalCode'])
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  return typeof found === 'string' ? found : undefined;
}

/**
 * Whether an error says that the database can't be reached or is stopping, by pg's, Node's and Prisma's ways to say so.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (
    let current: unknown = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    const code = 'code' in current ? String(current.code) : '';
    if (
      UNAVAILABLE_SQLSTATE.test(driverCode(current) ?? code) ||
      UNAVAILABLE_SYSTEM.has(code) ||
      UNAVAILABLE_PRISMA.has(code) ||
      UNAVAILABLE_MESSAGE.test(current.message)
    )
      return true;
    if (current instanceof AggregateError && current.errors.some(isDatabaseUnavailable)) return true;
  }
  return false;
}

/**
 * Transactions that PostgreSQL rolled back for another's sake, and what it lacks or is short of for a while (SQLSTATE
 * classes 40, 53, 57, 58 and 55P03).
 */
const PASSING_SQLSTATE = /^(40|53|57|58)|^55P03$/;

/**
 * Whether time may mend an error: the database can't be reached, or PostgreSQL refused for a reason that has nothing to
 * do with the statement.
 */
export const isPassing = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || PASSING_SQLSTATE.test(sqlState(error) ?? '');

/** The SQLSTATE of a database error, or undefined: `23505` is a broken unique index. */
export function sqlState(error: unknown): string | undefined {
  for (
    let current: unknown = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    const driver = driverCode(current);
    if (driver !== undefined) return driver;
    if ('code' in current && typeof current.code === 'string') {
      if (/^[0-9A-Z]{5}$/.test(current.code) && !/^P\d{4}$/.test(current.code)) return current.code;
      if (current.code === 'P2002') return '23505';
      if (current.code === 'P2003') return '23503';
    }
  }
  return undefined;
}
