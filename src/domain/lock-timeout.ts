/** Retries of transactions that cannot get a lock in time, or that PostgreSQL ends because of a deadlock. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { sqlState } from '../db/errors.js';
import { transaction, type Pool } from '../db/pool.js';
import { ApiError } from '../errors.js';

const MAX_LOCK_ATTEMPTS = 20;
/** PostgreSQL takes 1 s to detect each deadlock (deadlock_timeout). */
const MAX_DEADLOCK_ATTEMPTS = 5;
const LOCKED_MESSAGE = 'Another operation has locked this resource. Nothing was changed. Try again.';

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

/**
 * Runs `work` in one transaction with a lock timeout of 200 ms. After a lock timeout or a deadlock, the transaction is
 * rolled back and retried.
 *
 * A deletion locks a row and then its dependents. A worker that delivers emails locks the dependents first. If the two
 * deadlock, PostgreSQL ends one of them after 1 s (deadlock_timeout). That must not be the worker, whose email has
 * already left, so the deletion gives up its locks before.
 *
 * @param lockedMessage the message of the final error, for callers that have already committed other transactions
 * @throws SERVICE_UNAVAILABLE (503) if the rows are still locked after some seconds
 */
export async function withLockTimeout<T>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<T>,
  lockedMessage = LOCKED_MESSAGE,
): Promise<T> {
  for (let attempt = 1; attempt <= MAX_LOCK_ATTEMPTS; attempt++) {
    try {
      return await transaction(pool, async (tx) => {
        await tx.query(`SET LOCAL lock_timeout = '200ms'`);
        return work(tx);
      });
    } catch (error) {
      const code = sqlState(error);
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK_DETECTED) throw error;
    }
    await sleep(20 + Math.random() * 80);
  }
  throw new ApiError('SERVICE_UNAVAILABLE', lockedMessage);
}

/**
 * Retries `work`, which is one transaction, if PostgreSQL rolled it back to resolve a deadlock.
 *
 * @throws SERVICE_UNAVAILABLE (503) if every attempt ends in a deadlock
 */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= MAX_DEADLOCK_ATTEMPTS; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== DEADLOCK_DETECTED) throw error;
    }
  }
  throw new ApiError(
    'SERVICE_UNAVAILABLE',
    'Too many concurrent requests change the same contacts. Nothing was changed. Try again.',
  );
}
