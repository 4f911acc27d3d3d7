/** What the DNS's answers say about a domain (contract, section 8, `/v1/verify`). Pure. */
import { isIP } from 'node:net';
import { isNone, known, type Answer, type DomainFacts } from './facts.js';

export interface DomainVerdict {
  domainExists: boolean;
  hasWebsite: boolean;
  hasMxRecords: boolean;
  /** Null when the DNS did not say. */
  takesMail: boolean | null;
  /** Sentences; the first says why `takesMail` is what it is. */
  reasons: string[];
  /** Every question that matters has an answer. */
  isComplete: boolean;
}

/**
 * Judges a domain.
 *
 * It exists when it has NS, SOA, address or MX records. It takes mail by an MX record, or without one at its own
 * address (RFC 5321, section 5.1), but not with a null MX (RFC 7505). What the DNS did not answer counts as not found,
 * and is said.
 */
export function judgeDomain(facts: DomainFacts): DomainVerdict {
  const hosts = [...new Set(known(facts.mx).map(({ exchange }) => exchange))].filter((host) => host !== '');
  const exists = whether([facts.zone, facts.mx, facts.addresses]);
  const hasWebsite = whether([facts.addresses, facts.www]);
  const { takesMail, reason } = judgeMail(facts, hosts, exists);
  const reasons = [reason, ...warnAboutHosts(facts, hosts)];
  if (hasWebsite === null && takesMail !== null)
    reasons.push(`${whyUnknown([facts.addresses, facts.www])}, so it is not known whether the domain has a website.`);
  return {
    domainExists: exists === true,
    hasWebsite: hasWebsite === true,
    hasMxRecords: hosts.length > 0,
    takesMail,
    reasons,
    isComplete: exists !== null && takesMail !== null && hasWebsite !== null,
  };
}

function judgeMail(
  { zone, mx, addresses, alias }: DomainFacts,
  hosts: readonly string[],
  exists: boolean | null,
): { takesMail: boolean | null; reason: string } {
  if (hosts.length > 0) return { takesMail: true, reason: 'The domain has MX records.' };
  if (known(mx).length > 0)
    return { takesMail: false, reason: 'The domain takes no mail: its MX record says so (a null MX, RFC 7505).' };
  if (exists === null)
    return {
      takesMail: null,
      reason: `${whyUnknown([zone, mx, addresses])}, so it is not known whether the domain exists; that counts as not valid.`,
    };
  if (!exists) {
    const [target] = known(alias);
    return {
      takesMail: false,
      reason:
        target === undefined
          ? 'The domain does not exist: the DNS has no records of it.'
          : `The domain does not exist: it is an alias (CNAME) of ${target}, and that has no records.`,
    };
  }
  const unknown = [mx, ...(known(addresses).length > 0 ? [] : [addresses])].filter(
    (answer) => typeof answer === 'string',
  );
  if (unknown.length > 0)
    return {
      takesMail: null,
      reason: `${whyUnknown(unknown)}, so it is not known whether the domain takes mail; that counts as not valid.`,
    };
  if (known(addresses).length > 0)
    return {
      takesMail: true,
      reason: 'The domain has no MX records, but an address, at which it takes mail (RFC 5321).',
    };
  return { takesMail: false, reason: 'The domain takes no mail: it has neither MX records nor an address.' };
}

/** MX records that lead nowhere: `valid` goes by the records (the contract's rule), so this is said beside it. */
function warnAboutHosts({ exchanges }: DomainFacts, hosts: readonly string[]): string[] {
  const warnings: string[] = [];
  const ips = hosts.filter((host) => isIP(host) !== 0);
  if (ips.length > 0)
    warnings.push(
      `An MX record must name a host, but ${ips.slice(0, 3).join(', ')} is an IP address: many servers will not deliver there.`,
    );
  const dead = exchanges.filter(({ addresses }) => isNone(addresses)).map(({ host }) => host);
  if (dead.length > 0 && dead.length === exchanges.length)
    warnings.push(
      `The mail servers of the domain have no address (${dead.join(', ')}): mail to it will probably come back.`,
    );
  return warnings;
}

/** Whether any answer has records; null when none has, but one may. */
function whether(answers: ReadonlyArray<Answer<unknown>>): boolean | null {
  if (answers.some((answer) => known(answer).length > 0)) return true;
  return answers.some((answer) => typeof answer === 'string') ? null : false;
}

const whyUnknown = (answers: ReadonlyArray<Answer<unknown>>): string =>
  answers.includes('timeout')
    ? 'The DNS did not answer in time'
    : "The domain's DNS servers failed to answer (SERVFAIL or the like)";
