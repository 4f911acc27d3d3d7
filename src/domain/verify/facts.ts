/** Looks up the DNS records of a domain that concern mail and a website. */
import { isIP } from 'node:net';
import { DnsUnavailable, type Dns, type MxRecord } from '../../dns.js';

/** The records (possibly none), or why they are unknown: no answer in time, or a failing server. */
export type Answer<T = string> = readonly T[] | 'timeout' | 'failure';

export interface DomainFacts {
  /** NS or SOA records. */
  zone: Answer;
  mx: Answer<MxRecord>;
  /** A or AAAA records of the domain. */
  addresses: Answer;
  /** A or AAAA records of `www.` and the domain. */
  www: Answer;
  /** The target of the domain's alias. Looked up only if nothing else was found. */
  alias: Answer;
  /** The addresses of the hosts in the MX records, at most four. */
  exchanges: ReadonlyArray<{ host: string; addresses: Answer }>;
}

/** Only the most preferred hosts of a longer list are looked up. */
const MAX_EXCHANGES = 4;

/**
 * Looks up everything about a domain concurrently. Lookups without an answer after `withinMs` are `timeout`.
 *
 * @param domain in ASCII
 */
export async function lookUpDomain(dns: Dns, domain: string, withinMs: number): Promise<DomainFacts> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), withinMs);
  });
  const answerOf = <T>(lookup: Promise<T[]>): Promise<Answer<T>> => Promise.race([lookup.catch(failureOf), timeout]);
  const addressesOf = async (name: string): Promise<Answer> =>
    combine(await Promise.all([answerOf(dns.a(name)), answerOf(dns.aaaa(name))]));
  const lookUpMx = async (): Promise<Pick<DomainFacts, 'mx' | 'exchanges'>> => {
    const mx = await answerOf(dns.mx(domain));
    const hosts = new Set(
      known(mx)
        .map(({ exchange }) => exchange)
        .filter((host) => host !== '' && isIP(host) === 0),
    );
    return {
      mx,
      exchanges: await Promise.all(
        [...hosts].slice(0, MAX_EXCHANGES).map(async (host) => ({ host, addresses: await addressesOf(host) })),
      ),
    };
  };
  try {
    const [zone, { mx, exchanges }, addresses, www] = await Promise.all([
      Promise.all([answerOf(dns.ns(domain)), answerOf(dns.soa(domain))]).then(combine),
      lookUpMx(),
      addressesOf(domain),
      addressesOf(`www.${domain}`),
    ]);
    const isEmpty = isEmptyAnswer(zone) && isEmptyAnswer(mx) && isEmptyAnswer(addresses);
    return { zone, mx, exchanges, addresses, www, alias: isEmpty ? await answerOf(dns.cname(domain)) : [] };
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the records of an answer; an empty list if they are unknown. */
export const known = <T>(answer: Answer<T>): readonly T[] => (typeof answer === 'string' ? [] : answer);

/** Whether the records certainly do not exist. */
export const isEmptyAnswer = (answer: Answer<unknown>): boolean => typeof answer !== 'string' && answer.length === 0;

/** Combines answers: all found records; without any, the first failure. */
function combine(answers: Answer[]): Answer {
  const found = answers.flatMap(known);
  return found.length > 0 ? found : (answers.find((answer) => typeof answer === 'string') ?? []);
}

function failureOf(error: unknown): 'timeout' | 'failure' {
  if (!(error instanceof DnsUnavailable)) throw error;
  return error.timedOut ? 'timeout' : 'failure';
}
