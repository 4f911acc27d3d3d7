/** The PostgreSQL pool that Prisma and the hot paths share, and transactions. */
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
  /** Whether all its statements look up rows by indexes (`planForLookups`). Default: false. */
  isForLookups?: boolean;
}

/**
 * Makes PostgreSQL plan the named statements of a connection once, and by indexes whatever the statistics say.
 *
 * A plan that is made while a table is empty reads all of it, and is kept until the next ANALYZE, however much the table grows:
 * claims took 4 ms instead of 1 ms on a new installation. Otherwise PostgreSQL may plan each claim again, which takes 5 ms.
 *
 * These are statements and not the startup parameter `options`, which PgBouncer refuses.
 */
export const planForLookups = (client: Queryable): Promise<unknown> =>
  client.query('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_sort = off');

/** Options of a pool, which waits for the promise. */
const FOR_LOOKUPS = { onConnect: planForLookups };

/**
 * Creates a pool. A request for a connection fails after 5 s, so that callers get a 503 instead of hanging while
 * PostgreSQL is down.
 */
export function createPool({ databaseUrl, max, name, onError, isForLookups = false }: PoolOptions): Pool {
  const pool = new PgPool({
    connectionString: databaseUrl,
    max,
    application_name: name,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    ...(isForLookups && FOR_LOOKUPS),
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
