/** Checking a domain over the DNS. */
import type { Context } from '../../context.js';
import { sqlState, transaction } from '../../db/pool.js';
import { lockDomain, saveCheck } from './sql.js';
import { enqueue, type Intent } from '../../db/outbox.js';
import { judge, type Judgement } from './judge.js';
import { lookUp } from './lookup.js';
import { nextState, type CheckResult } from './state.js';
import { readRecords, toDomain, type Domain } from './view.js';

export interface CheckOptions {
  /** The time of the check; the workflow's own, so that time skipped in tests counts. */
  now?: Date;
  /** Gives up on the DNS after that long. */
  withinMs?: number;
  /** Written in the transaction that keeps the result. The caller wakes the relay. */
  intents?: Intent[];
}

/**
 * Asks the DNS for the domain's records now and keeps the result.
 *
 * When the DNS does not answer, nothing changes: that proves nothing about the domain, and neither `lastCheckedAt` nor
 * the 72 hours move.
 *
 * @returns the domain after the check, or null when there is no such domain (any more)
 */
export async function checkDomain(
  ctx: Context,
  id: string,
  { now = new Date(), withinMs, intents = [] }: CheckOptions = {},
): Promise<Domain | null> {
  const row = await ctx.prisma.domain.findUnique({ where: { id }, omit: { dkimPrivateKey: true } });
  if (!row) return null;
  const records = readRecords(row);
  const judgement = judge(records, await lookUp(ctx, records, withinMs));
  if (judgement.passed === null) return toDomain(row);
  try {
    return await keep(ctx, id, judgement, judgement.passed ? 'passed' : 'failed', now, intents);
  } catch (error) {
    // The index over verified domains decides between two projects that verify one domain at once; this one came
    // second.
    if (sqlState(error) !== '23505') throw error;
    return keep(ctx, id, judgement, 'taken', now, intents);
  }
}

const keep = (
  ctx: Context,
  id: string,
  { records }: Judgement,
  result: CheckResult,
  now: Date,
  intents: Intent[],
): Promise<Domain | null> =>
  transaction(ctx.pool, async (tx) => {
    // The answers were collected without a lock; what they mean depends on the state that the domain has now.
    const current = await lockDomain(tx, id);
    if (!current) return null;
    const row = await saveCheck(tx, { id, records, ...nextState(current, result, now), checkedAt: now });
    await enqueue(tx, intents);
    return row && toDomain(row);
  });
