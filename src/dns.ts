/** DNS questions, with a bounded time for an answer. */
import { promises as dns } from 'node:dns';

export interface Dns {
  /** TXT records of a name, each joined from its strings; an empty list when there are none. */
  txt(name: string): Promise<string[]>;
  /** MX records of a name, lowest preference first; an empty list when there are none. */
  mx(name: string): Promise<Array<{ exchange: string; priority: number }>>;
}

/** The resolver could not say: a time-out or a failing server. That proves nothing about the name. */
export class DnsUnavailable extends Error {}

const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * A resolver over `servers` (`ip:port`, comma-separated), or the system's when empty or unset. A question takes 4 s at most.
 *
 * @throws DnsUnavailable (from the questions) when no server answers
 */
export function createDns(servers: string | undefined): Dns {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
  const list = (servers ?? '').split(',').map((server) => server.trim()).filter(Boolean);
  if (list.length > 0) resolver.setServers(list);
  const ask = async <T>(question: Promise<T[]>): Promise<T[]> => {
    try {
      return await question;
    } catch (error) {
      if (error instanceof Error && 'code' in error && NO_RECORD.has(String(error.code))) return [];
      throw new DnsUnavailable('The DNS servers do not answer', { cause: error });
    }
  };
  return {
    txt: async (name) => (await ask(resolver.resolveTxt(name))).map((strings) => strings.join('')),
    mx: async (name) => (await ask(resolver.resolveMx(name))).sort((a, b) => a.priority - b.priority),
  };
}
