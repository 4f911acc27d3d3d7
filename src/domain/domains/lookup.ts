/** Looks up a domain's records in the DNS. */
import type { Context } from '../../context.js';
import { DnsUnavailable } from '../../dns.js';
import type { Answers } from './compare.js';
import type { DomainRecord } from './records.js';

/**
 * Looks up all records concurrently. The result has null for records without an answer.
 *
 * @param withinMs the time limit for answers
 */
export async function lookUpRecords(
  ctx: Pick<Context, 'dns'>,
  records: readonly DomainRecord[],
  withinMs?: number,
): Promise<Answers> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    if (withinMs !== undefined) timer = setTimeout(() => resolve(null), withinMs);
  });
  try {
    return await Promise.all(records.map((record) => Promise.race([lookUpRecord(ctx, record), timeout])));
  } finally {
    clearTimeout(timer);
  }
}

async function lookUpRecord({ dns }: Pick<Context, 'dns'>, { type, name }: DomainRecord): Promise<string[] | null> {
  try {
    return await (type === 'TXT' ? dns.txt(name) : dns.cname(name));
  } catch (error) {
    if (error instanceof DnsUnavailable) return null;
    throw error;
  }
}
