/** Queries that look at all contacts of a project. */
import type { PoolClient } from 'pg';
import { transaction, type Pool } from './pool.js';

/**
 * Prepares a transaction for such queries: room for the hash of a million ids, without which PostgreSQL looks up each
 * contact by itself, and no compilation, which takes longer than the query.
 *
 * PostgreSQL counts every project as 0.5% of the contacts (prisma/migrations/20261122100000_statistics). The costs make
 * up for it with large projects: workers start for estimates that are small, and a bitmap of all of a project's contacts
 * is not free next to one of the few contacts with a value.
 */
export async function prepareWideQuery(tx: PoolClient): Promise<void> {
  await tx.query(
    `SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
            set_config('parallel_setup_cost', '0', true), set_config('cpu_index_tuple_cost', '0.05', true)`,
  );
}

/** Runs `work` in a transaction that is prepared so. */
export function wideQuery<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  return transaction(pool, async (tx) => {
    await prepareWideQuery(tx);
    return work(tx);
  });
}
