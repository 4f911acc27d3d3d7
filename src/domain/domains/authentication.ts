/** What the DNS lacks of the authentication that bulk senders need (additions, section 7). Pure. */
import type { DomainRecord } from './records.js';

/** The last check of a domain. */
export interface CheckedRecords {
  records: readonly DomainRecord[];
  /** Null if the DNS has never answered. */
  lastCheckedAt: Date | null;
}

export const ADVICE_CODES = ['dmarc_missing'] as const;

/** A recommendation for a domain, which can be used without following it. */
export interface DomainAdvice {
  code: (typeof ADVICE_CODES)[number];
  message: string;
}

/** Returns the recommendations for a domain. There are none before its first check. */
export function adviceFor({ domain, ...checked }: CheckedRecords & { domain: string }): DomainAdvice[] {
  if (!findMissingRecords(checked, { hasReturnPaths: false }).includes('DMARC')) return [];
  return [
    {
      code: 'dmarc_missing',
      message:
        `The DNS has no valid DMARC record for ${domain}. Google, Yahoo, and Microsoft require one from senders of ` +
        `bulk email. Publish the DMARC record of this domain.`,
    },
  ];
}

/**
 * Returns the missing ones of SPF and DMARC. A record that was never looked up does not count as missing. DKIM is not
 * among them, because a domain without it cannot send.
 *
 * @param options.hasReturnPaths whether emails use the domain's return path if its record is correct. Receivers then
 * check SPF for the host of the return path
 */
export function findMissingRecords(
  { records, lastCheckedAt }: CheckedRecords,
  { hasReturnPaths }: { hasReturnPaths: boolean },
): Array<'SPF' | 'DMARC'> {
  if (lastCheckedAt === null) return [];
  const verified = records.filter(({ status }) => status === 'VERIFIED').map(({ purpose }) => purpose);
  return records.flatMap(({ purpose, found }) => {
    if (verified.includes(purpose)) return [];
    if (purpose === 'DMARC') return [purpose];
    if (purpose !== 'SPF' || hasOnePolicy(found)) return [];
    return hasReturnPaths && verified.includes('RETURN_PATH') ? [] : [purpose];
  });
}

/** A policy that does not name our host can be right: another host may hand over our mail. Two policies are an error. */
const hasOnePolicy = (found: readonly string[]): boolean =>
  found.filter((text) => /^\s*v=spf1(?:\s|$)/i.test(text)).length === 1;
