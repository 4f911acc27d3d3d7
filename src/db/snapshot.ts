/** Transactions whose statements all see the same moment. */
import type { PoolClient } from 'pg';
import { transaction, type Pool } from './pool.js';

/**
 * Runs `work` in such a transaction. A row that somebody else has changed since can't be changed in it: that fails with
 * SQLSTATE 40001.
 */
export function snapshot<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  return transaction(pool, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    return work(tx);
  });
}
