/** Decides from DNS answers whether a domain accepts mail (contract, section 8, `/v1/verify`). Pure. */
import { isIP } from 'node:net';
import { isEmptyAnswer, known, type Answer, type DomainFacts } from './facts.js';

export interface DomainVerdict {
  domainExists: boolean;
  hasWebsite: boolean;
  hasMxRecords: boolean;
  /** Null if the DNS did not answer. */
  acceptsMail: boolean | null;
  /** Sentences. The first one explains `acceptsMail`. */
  reasons: string[];
  /** Whether all relevant queries were answered. */
  isComplete: boolean;
}

/**
 * Evaluates the DNS answers about a domain.
 *
 * A domain exists if it has NS, SOA, address, or MX records. It accepts mail with an MX record, or without one at its
 * own address (RFC 5321, section 5.1), but not with a null MX (RFC 7505). A DNS lookup without an answer counts as not
 * found and is listed in `reasons`.
 */
export function evaluateDomain(facts: DomainFacts): DomainVerdict {
  const hosts = [...new Set(known(facts.mx).map(({ exchange }) => exchange))].filter((host) => host !== '');
  const exists = hasRecords([facts.zone, facts.mx, facts.addresses]);
  const hasWebsite = hasRecords([facts.addresses, facts.www]);
  const { acceptsMail, reason } = evaluateMail(facts, hosts, exists);
  const reasons = [reason, ...warnAboutHosts(facts, hosts)];
  if (hasWebsite === null && acceptsMail !== null)
    reasons.push(`${failureOf([facts.addresses, facts.www])}, so it is unknown whether the domain has a website.`);
  return {
    domainExists: exists === true,
    hasWebsite: hasWebsite === true,
    hasMxRecords: hosts.length > 0,
    acceptsMail,
    reasons,
    isComplete: exists !== null && acceptsMail !== null && hasWebsite !== null,
  };
}

function evaluateMail(
  { zone, mx, addresses, alias }: DomainFacts,
  hosts: readonly string[],
  exists: boolean | null,
): { acceptsMail: boolean | null; reason: string } {
  if (hosts.length > 0) return { acceptsMail: true, reason: 'The domain has MX records.' };
  if (known(mx).length > 0)
    return { acceptsMail: false, reason: 'The domain does not accept mail: it has a null MX record (RFC 7505).' };
  if (exists === null)
    return {
      acceptsMail: null,
      reason: `${failureOf([zone, mx, addresses])}, so it is unknown whether the domain exists. This counts as not valid.`,
    };
  if (!exists) {
    const [target] = known(alias);
    return {
      acceptsMail: false,
      reason:
        target === undefined
          ? 'The domain does not exist: it has no DNS records.'
          : `The domain does not exist: it is an alias (CNAME) of ${target}, which has no records.`,
    };
  }
  const unknown = [mx, ...(known(addresses).length > 0 ? [] : [addresses])].filter(
    (answer) => typeof answer === 'string',
  );
  if (unknown.length > 0)
    return {
      acceptsMail: null,
      reason: `${failureOf(unknown)}, so it is unknown whether the domain accepts mail. This counts as not valid.`,
    };
  if (known(addresses).length > 0)
    return {
      acceptsMail: true,
      reason: 'The domain has no MX records, but accepts mail at its address (RFC 5321).',
    };
  return { acceptsMail: false, reason: 'The domain does not accept mail: it has neither MX records nor an address.' };
}

/** Describes MX records without a usable host. They do not affect `valid`, which the contract bases on the records. */
function warnAboutHosts({ exchanges }: DomainFacts, hosts: readonly string[]): string[] {
  const warnings: string[] = [];
  const ips = hosts.filter((host) => isIP(host) !== 0);
  if (ips.length > 0)
    warnings.push(
      `An MX record must name a host, but ${ips.slice(0, 3).join(', ')} is an IP address. Many servers do not deliver to it.`,
    );
  const dead = exchanges.filter(({ addresses }) => isEmptyAnswer(addresses)).map(({ host }) => host);
  if (dead.length > 0 && dead.length === exchanges.length)
    warnings.push(
      `The mail servers of the domain have no address (${dead.join(', ')}). Mail to it will probably bounce.`,
    );
  return warnings;
}

/** Whether any answer has records; null if none has, but one is missing. */
function hasRecords(answers: ReadonlyArray<Answer<unknown>>): boolean | null {
  if (answers.some((answer) => known(answer).length > 0)) return true;
  return answers.some((answer) => typeof answer === 'string') ? null : false;
}

const failureOf = (answers: ReadonlyArray<Answer<unknown>>): string =>
  answers.includes('timeout')
    ? 'The DNS did not answer in time'
    : "The domain's DNS servers failed to answer (SERVFAIL or similar)";
