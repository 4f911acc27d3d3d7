/** Transactions that wait for nobody: deletions that reach into rows which senders hold. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { sqlState, transaction, type Pool } from '../db/pool.js';
import { ApiError } from '../errors.js';

const ATTEMPTS = 20;
const HELD_UP = 'This is in use by something that takes long. Nothing was changed; try again.';
/** Each takes PostgreSQL 1 s to notice (deadlock_timeout). */
const DEADLOCKS = 5;

/** A lock that was not given in time, or a deadlock that PostgreSQL ended at our cost. */
const isHeldUp = (error: unknown): boolean => ['55P03', '40P01'].includes(sqlState(error) ?? '');

/**
 * Runs `work` in one transaction that gives way: a lock that it doesn't get within 200 ms rolls it back, and it begins
 * again.
 *
 * A deletion locks a row and then its dependents; a worker that hands over emails locks the dependents first. Where the
 * two meet, PostgreSQL would end one of them after 1 s (deadlock_timeout), and that must not be the worker, whose email
 * has already left.
 *
 * @param heldUp what is said in the end, where this transaction is not all of it
 * @throws SERVICE_UNAVAILABLE (503) when the rows are still held after some seconds
 */
export async function givingWay<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>, heldUp = HELD_UP): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await transaction(pool, async (tx) => {
        await tx.query(`SET LOCAL lock_timeout = '200ms'`);
        return work(tx);
      });
    } catch (error) {
      if (!isHeldUp(error)) throw error;
    }
    await sleep(20 + Math.random() * 80);
  }
  throw new ApiError('SERVICE_UNAVAILABLE', heldUp);
}

/**
 * Runs `work`, which is one transaction, again when PostgreSQL ended it to resolve a deadlock: nothing of it was
 * written, and what it met goes on meanwhile.
 *
 * @throws SERVICE_UNAVAILABLE (503) when it is ended again and again
 */
export async function retryingDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= DEADLOCKS; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== '40P01') throw error;
    }
  }
  throw new ApiError(
    'SERVICE_UNAVAILABLE',
    'This met too many other requests for the same contacts. Nothing was changed; try again.',
  );
}
