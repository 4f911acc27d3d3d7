/** Asks the DNS what a domain has, as far as mail and a website go. */
import { isIP } from 'node:net';
import { DnsUnavailable, type Dns, type MxRecord } from '../../dns.js';

/**
 * The records (none: an empty list), or why nobody knows: there was no answer in time, or a server answered that it
 * can't.
 */
export type Answer<T = string> = readonly T[] | 'timeout' | 'failure';

export interface DomainFacts {
  /** NS or SOA records. */
  zone: Answer;
  mx: Answer<MxRecord>;
  /** A or AAAA records of the domain. */
  addresses: Answer;
  /** A or AAAA records of `www.` and the domain. */
  www: Answer;
  /** What the domain is an alias of; asked only when nothing else was found. */
  alias: Answer;
  /** Addresses of the hosts that the MX records name, as far as they were asked for. */
  exchanges: ReadonlyArray<{ host: string; addresses: Answer }>;
}

/** Of a longer list, the most preferred ones stand for all. */
const MAX_EXCHANGES = 4;

/**
 * Everything about a domain, asked at once; what has no answer after `withinMs` is a time-out.
 *
 * @param domain in ASCII
 */
export async function lookUpDomain(dns: Dns, domain: string, withinMs: number): Promise<DomainFacts> {
  let giveUp = (): void => undefined;
  const late = new Promise<'timeout'>((resolve) => {
    giveUp = () => resolve('timeout');
  });
  const timer = setTimeout(giveUp, withinMs);
  const ask = <T>(question: Promise<T[]>): Promise<Answer<T>> => Promise.race([question.catch(whyUnknown), late]);
  const addressesOf = async (name: string): Promise<Answer> =>
    either(await Promise.all([ask(dns.a(name)), ask(dns.aaaa(name))]));
  const askMx = async (): Promise<Pick<DomainFacts, 'mx' | 'exchanges'>> => {
    const mx = await ask(dns.mx(domain));
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
      Promise.all([ask(dns.ns(domain)), ask(dns.soa(domain))]).then(either),
      askMx(),
      addressesOf(domain),
      addressesOf(`www.${domain}`),
    ]);
    const isEmpty = isNone(zone) && isNone(mx) && isNone(addresses);
    return { zone, mx, exchanges, addresses, www, alias: isEmpty ? await ask(dns.cname(domain)) : [] };
  } finally {
    clearTimeout(timer);
  }
}

/** The records of an answer; none where nobody knows. */
export const known = <T>(answer: Answer<T>): readonly T[] => (typeof answer === 'string' ? [] : answer);

/** Whether there certainly are no such records. */
export const isNone = (answer: Answer<unknown>): boolean => typeof answer !== 'string' && answer.length === 0;

/** Two answers as one: what either found; nothing is certain only when neither has anything. */
function either(answers: Answer[]): Answer {
  const found = answers.flatMap(known);
  return found.length > 0 ? found : (answers.find((answer) => typeof answer === 'string') ?? []);
}

function whyUnknown(error: unknown): 'timeout' | 'failure' {
  if (!(error instanceof DnsUnavailable)) throw error;
  return error.timedOut ? 'timeout' : 'failure';
}
