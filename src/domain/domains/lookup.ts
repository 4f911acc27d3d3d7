/** Looks up a domain's records in the DNS. */
import type { Context } from '../../context.js';
import { DnsUnavailable, type Dns } from '../../dns.js';
import { isPolicy, type Answers } from './compare.js';
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

async function lookUpRecord(
  { dns }: Pick<Context, 'dns'>,
  { type, name, purpose }: DomainRecord,
): Promise<string[] | null> {
  try {
    if (purpose === 'DMARC') return await lookUpPolicy(dns, name);
    return await (type === 'TXT' ? dns.txt(name) : dns.cname(name));
  } catch (error) {
    if (error instanceof DnsUnavailable) return null;
    throw error;
  }
}

/** A receiver looks for the policy of a subdomain at its parent domains, too (RFC 7489, section 6.6.3). */
const MAX_PARENT_DOMAINS = 5;

/** Returns the texts of `_dmarc.<domain>`; without a policy among them, also those of the next parent that has one. */
async function lookUpPolicy(dns: Dns, name: string): Promise<string[]> {
  const own = await dns.txt(name);
  if (own.some(isPolicy)) return own;
  const labels = name.split('.').slice(1);
  const parents = labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'));
  for (const parent of parents.slice(-MAX_PARENT_DOMAINS)) {
    const policies = (await dns.txt(`_dmarc.${parent}`)).filter(isPolicy);
    if (policies.length > 0) return [...own, ...policies];
  }
  return own;
}
