/** DNS lookups with a time limit. */
import { promises as dns } from 'node:dns';

export interface MxRecord {
  /** Empty in a null MX (RFC 7505). */
  exchange: string;
  priority: number;
}

/** Each lookup returns an empty list if the name or the record type does not exist, and follows aliases. */
export interface Dns {
  /** TXT records of a name, each with its strings joined. */
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
  /** The name that an alias points to. */
  cname(name: string): Promise<string[]>;
}

/** The lookup failed with a timeout or a server error, so it is unknown whether the records exist. */
export class DnsUnavailable extends Error {
  /** True after a timeout; false if a server was unreachable or replied with an error. */
  get timedOut(): boolean {
    return codeOf(this.cause) === 'ETIMEOUT';
  }
}

/** EBADNAME is an invalid name, such as one with a label of 64 characters, which cannot have records. */
const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/**
 * Creates a resolver that uses `servers` (`ip:port`, comma-separated), or the system's servers if that is empty. A
 * lookup is repeated after 2 s without a response, and takes at most about 6 s.
 *
 * Lookups throw DnsUnavailable if no server responds.
 */
export function createDns(servers: string | undefined): Dns {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
  const list = (servers ?? '')
    .split(',')
    .map((server) => server.trim())
    .filter(Boolean);
  if (list.length > 0) resolver.setServers(list);
  const listOrEmpty = async <T>(lookup: Promise<T[]>): Promise<T[]> => {
    try {
      return await lookup;
    } catch (error) {
      if (NO_RECORD.has(codeOf(error))) return [];
      throw new DnsUnavailable('The DNS servers do not respond.', { cause: error });
    }
  };
  const findPrimary = async (name: string): Promise<string[]> => {
    try {
      return [(await resolver.resolveSoa(name)).nsname];
    } catch (error) {
      // The parser's code for a response without an SOA, such as an alias alone.
      if (codeOf(error) === 'EBADRESP') return [];
      throw error;
    }
  };
  return {
    txt: async (name) => (await listOrEmpty(resolver.resolveTxt(name))).map((strings) => strings.join('')),
    mx: async (name) => (await listOrEmpty(resolver.resolveMx(name))).sort((a, b) => a.priority - b.priority),
    ns: (name) => listOrEmpty(resolver.resolveNs(name)),
    soa: (name) => listOrEmpty(findPrimary(name)),
    a: (name) => listOrEmpty(resolver.resolve4(name)),
    aaaa: (name) => listOrEmpty(resolver.resolve6(name)),
    cname: (name) => listOrEmpty(resolver.resolveCname(name)),
  };
}
