/** Queries that look at all contacts of a project. */
import type { PoolClient } from 'pg';
import { transaction, type Pool } from './pool.js';

/**
 * Prepares a transaction for such queries: room for the hash of a million ids, without which PostgreSQL looks up each
 * contact by itself, and no compilation, which takes longer than the query.
 */
export async function prepareWideQuery(tx: PoolClient): Promise<void> {
  await tx.query(`SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`);
}

/** Runs `work` in a transaction that is prepared so. */
export function wideQuery<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  return transaction(pool, async (tx) => {
    await prepareWideQuery(tx);
    return work(tx);
  });
}
