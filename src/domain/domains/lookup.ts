/** Asks the DNS for a domain's records. */
import { promises as dns } from 'node:dns';
import type { Context } from '../../context.js';
import { DnsUnavailable } from '../../dns.js';
import type { Answers } from './judge.js';
import type { DomainRecord } from './records.js';

/**
 * The values that the DNS has for each record now, all asked at once; null where it does not answer.
 *
 * @param withinMs gives up on what has not answered by then
 */
export async function lookUp(
  ctx: Pick<Context, 'dns' | 'config'>,
  records: readonly DomainRecord[],
  withinMs?: number,
): Promise<Answers> {
  const giveUp = new AbortController();
  const timer = withinMs === undefined ? undefined : setTimeout(() => giveUp.abort(), withinMs);
  const late = new Promise<null>((resolve) => giveUp.signal.addEventListener('abort', () => resolve(null)));
  try {
    return await Promise.all(records.map((record) => Promise.race([ask(ctx, record), late])));
  } finally {
    clearTimeout(timer);
  }
}

async function ask(
  { dns, config }: Pick<Context, 'dns' | 'config'>,
  { type, name }: DomainRecord,
): Promise<string[] | null> {
  try {
    return await (type === 'TXT' ? dns.txt(name) : cname(config.DNS_SERVERS, name));
  } catch (error) {
    if (error instanceof DnsUnavailable) return null;
    throw error;
  }
}

const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/** The target of an alias, from the servers that `createDns` asks too; an empty list when there is none. */
async function cname(servers: string | undefined, name: string): Promise<string[]> {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
  const list = (servers ?? '')
    .split(',')
    .map((server) => server.trim())
    .filter(Boolean);
  if (list.length > 0) resolver.setServers(list);
  try {
    return await resolver.resolveCname(name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_RECORD.has(String(error.code))) return [];
    throw new DnsUnavailable('The DNS servers do not answer', { cause: error });
  }
}
