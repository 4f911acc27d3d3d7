/** Queries over all contacts of a project. */
import type { PoolClient } from 'pg';
import { transaction, type Pool } from './pool.js';

/**
 * Prepares a transaction for such queries. `work_mem` fits the hash of a million ids; with less, PostgreSQL looks up each
 * contact separately. JIT compilation takes longer than the query. Three parallel workers halve the time of a scan on two
 * processors (bench/segments.ts).
 */
export async function prepareWideQuery(tx: PoolClient): Promise<void> {
  await tx.query(
    `SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
            set_config('max_parallel_workers_per_gather', '3', true)`,
  );
}

/** Runs `work` in a transaction that is prepared for wide queries. */
export function wideQuery<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  return transaction(pool, async (tx) => {
    await prepareWideQuery(tx);
    return work(tx);
  });
}
