/** The PostgreSQL pool that Prisma and the hot paths share, transactions, and the classification of database errors. */
import { Pool as PgPool, types, type PoolClient } from 'pg';

export type Pool = PgPool;

/** Anything that runs a statement: the pool, or the client of a transaction. */
export type Queryable = Pick<PoolClient, 'query'>;

// Counts and sums are bigint. None of ours exceeds 2^53.
types.setTypeParser(types.builtins.INT8, Number);

export interface PoolOptions {
  databaseUrl: string;
  /** Maximum number of connections. */
  max: number;
  /** Shown in pg_stat_activity. */
  name: string;
  onError: (error: Error) => void;
}

/**
 * Creates a pool. A request for a connection fails after 5 s, so that callers get a 503 instead of hanging while
 * PostgreSQL is down.
 */
export function createPool({ databaseUrl, max, name, onError }: PoolOptions): Pool {
  const pool = new PgPool({
    connectionString: databaseUrl,
    max,
    application_name: name,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
  });
  // If the server closes an idle connection, the pool emits an event, which would end the process without a listener.
  pool.on('error', onError);
  // A client has no listener until the promise that returns it resolves, and an error can arrive in the same packet as
  // the response before it. The next query on the client then fails with an error.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** Runs `work` in one transaction, which an error rolls back. */
export async function transaction<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Between two statements, a lost connection only emits an event; the next statement fails.
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

/** The SQLSTATE of an error that Prisma throws (it keeps the driver's error in `meta`); undefined for other errors. */
function driverCode(error: Error): string | undefined {
  let found: unknown = error;
  for (const name of ['meta', 'driverAdapterError', 'cause', 'originalCode'])
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** Whether an error of pg, Node, or Prisma means that the database is unreachable or is stopping. */
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

/** Rollbacks caused by concurrency, missing resources, and operator intervention: temporary conditions. */
const PASSING_SQLSTATE = /^(40|53|57|58)|^55P03$/;

/** Whether an error is transient: the database is unreachable, or the reason is independent of the statement. */
export const isPassing = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || PASSING_SQLSTATE.test(sqlState(error) ?? '');

/** The SQLSTATE of a database error, for example `23505` (unique violation); undefined for other errors. */
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
