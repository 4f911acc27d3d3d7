/** DNS questions, with a bounded time for an answer. */
import { promises as dns } from 'node:dns';

export interface MxRecord {
  /** Empty in a null MX (RFC 7505). */
  exchange: string;
  priority: number;
}

/** Each question answers an empty list when the name does not exist, or has no such records. Aliases are followed. */
export interface Dns {
  /** TXT records of a name, each joined from its strings. */
  txt(name: string): Promise<string[]>;
  /** MX records of a name, lowest preference first. */
  mx(name: string): Promise<MxRecord[]>;
  /** The name servers of a zone. */
  ns(name: string): Promise<string[]>;
  /** The primary name server of a zone. */
  soa(name: string): Promise<string[]>;
  /** IPv4 addresses of a name. */
  a(name: string): Promise<string[]>;
  /** IPv6 addresses of a name. */
  aaaa(name: string): Promise<string[]>;
  /** What a name is an alias of. */
  cname(name: string): Promise<string[]>;
}

/** The resolver could not say: a time-out or a failing server. That proves nothing about the name. */
export class DnsUnavailable extends Error {
  /** Nobody answered, where otherwise a server said that it can't, or could not be reached. */
  get timedOut(): boolean {
    return codeOf(this.cause) === 'ETIMEOUT';
  }
}

/**
 * The last is a name that can't be asked for, such as one with a label of 64 characters: it can't have records either.
 */
const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/**
 * A resolver over `servers` (`ip:port`, comma-separated), or the system's when empty or unset. A question is asked
 * again after 2 s without an answer, and takes about 6 s at most.
 *
 * @throws DnsUnavailable (from the questions) when no server answers
 */
export function createDns(servers: string | undefined): Dns {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
  const list = (servers ?? '')
    .split(',')
    .map((server) => server.trim())
    .filter(Boolean);
  if (list.length > 0) resolver.setServers(list);
  const ask = async <T>(question: Promise<T[]>): Promise<T[]> => {
    try {
      return await question;
    } catch (error) {
      if (NO_RECORD.has(codeOf(error))) return [];
      throw new DnsUnavailable('The DNS servers do not answer', { cause: error });
    }
  };
  const primary = async (name: string): Promise<string[]> => {
    try {
      return [(await resolver.resolveSoa(name)).nsname];
    } catch (error) {
      // The parser's word for an answer without an SOA, such as an alias alone.
      if (codeOf(error) === 'EBADRESP') return [];
      throw error;
    }
  };
  return {
    txt: async (name) => (await ask(resolver.resolveTxt(name))).map((strings) => strings.join('')),
    mx: async (name) => (await ask(resolver.resolveMx(name))).sort((a, b) => a.priority - b.priority),
    ns: (name) => ask(resolver.resolveNs(name)),
    soa: (name) => ask(primary(name)),
    a: (name) => ask(resolver.resolve4(name)),
    aaaa: (name) => ask(resolver.resolve6(name)),
    cname: (name) => ask(resolver.resolveCname(name)),
  };
}
