/** Checks the records of a domain in the DNS. */
import type { Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { transaction } from '../../db/pool.js';
import { lockDomain, saveCheck, selectDomain } from './sql.js';
import { enqueue, type Intent } from '../../db/outbox.js';
import { compareRecords, type Comparison } from './compare.js';
import { lookUpRecords } from './lookup.js';
import { nextState, type CheckResult } from './state.js';
import { readRecords, toDomain, type Domain } from './view.js';

export interface CheckOptions {
  /** The time of the check. The workflow passes its own time, so that skipped time in tests counts. */
  now?: Date;
  /** The time limit for DNS answers. */
  withinMs?: number;
  /** Written in the transaction that saves the result. The caller wakes the relay. */
  intents?: Intent[];
}

/**
 * Looks up the domain's records and saves the result.
 *
 * If the DNS does not answer for a required record, nothing changes, neither `lastCheckedAt` nor the 72 hours of grace.
 *
 * @returns the domain after the check; null if the domain does not exist
 */
export async function checkDomain(
  ctx: Context,
  id: string,
  { now = new Date(), withinMs, intents = [] }: CheckOptions = {},
): Promise<Domain | null> {
  const row = await selectDomain(ctx.pool, id);
  if (!row) return null;
  const records = readRecords(row);
  const comparison = compareRecords(records, await lookUpRecords(ctx, records, withinMs));
  if (comparison.passed === null) return toDomain(row);
  try {
    return await saveResult(ctx, id, comparison, comparison.passed ? 'passed' : 'failed', now, intents);
  } catch (error) {
    // The unique index of verified domains: another project has verified this domain.
    if (sqlState(error) !== '23505') throw error;
    return saveResult(ctx, id, comparison, 'taken', now, intents);
  }
}

const saveResult = (
  ctx: Context,
  id: string,
  { records }: Comparison,
  result: CheckResult,
  now: Date,
  intents: Intent[],
): Promise<Domain | null> =>
  transaction(ctx.pool, async (tx) => {
    // The lookup held no lock, so the result is applied to the current state of the domain.
    const current = await lockDomain(tx, id);
    if (!current) return null;
    const row = await saveCheck(tx, { id, records, ...nextState(current, result, now), checkedAt: now });
    await enqueue(tx, intents);
    return row && toDomain(row);
  });
