/**
 * SPF, DKIM, and DMARC results of inbound mail (RFC 7208, RFC 6376, RFC 7489), checked with mailauth.
 *
 * The results inform the project and never decide whether a mail is accepted.
 */
import type { AuthenticateResult } from 'mailauth';
import { createDns, type Dns } from '../dns.js';

/** The result words of RFC 8601, section 2.7. */
export const SPF_RESULTS = ['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror'] as const;
export const DKIM_RESULTS = ['none', 'pass', 'fail', 'policy', 'neutral', 'temperror', 'permerror'] as const;
export const DMARC_RESULTS = ['none', 'pass', 'fail', 'temperror', 'permerror'] as const;

export interface Authentication {
  spf: (typeof SPF_RESULTS)[number];
  /** `pass` if any signature is valid, of any domain. */
  dkim: (typeof DKIM_RESULTS)[number];
  /** `pass` if SPF or DKIM passed for the domain in `From`. */
  dmarc: (typeof DMARC_RESULTS)[number];
}

export interface MailAuthentication extends Authentication {
  /** The domain of the `From` address that DMARC was checked for, in lower case; null without exactly one address. */
  fromDomain: string | null;
}

/** What to check. Plain data, because it is sent to a thread. */
export interface AuthenticateMail {
  raw: Uint8Array;
  /** Number of DKIM signatures in the mail. */
  signatures: number;
  /** The sender of the envelope; empty for a null sender. */
  sender: string;
  /** The address of the client. */
  ip: string;
  /** The name in the client's EHLO. */
  helo: string;
  /** Our own host name. */
  host: string;
  /** As in `DNS_SERVERS`. */
  dnsServers: string | undefined;
  /** The time for all DNS queries together. Default 5 s. */
  dnsTimeoutMs?: number;
}

const DNS_TIMEOUT_MS = 5000;
/** SPF may need 10 lookups and 10 addresses for each (RFC 7208, section 4.6.4). */
const MAX_DNS_QUERIES = 150;
/** Each signature can make us hash the whole mail again. */
const MAX_SIGNATURES = 10;

export const TEMPORARY_ERROR: MailAuthentication = {
  spf: 'temperror',
  dkim: 'temperror',
  dmarc: 'temperror',
  fromDomain: null,
};

/**
 * Checks a mail. An unanswered DNS query yields `temperror` for the mechanism that needs it.
 *
 * A mail with more than 10 signatures is not checked: `dkim` is `policy` and `dmarc` is `permerror`.
 *
 * @throws what mailauth throws for a mail that it cannot read
 */
export async function authenticateMail(request: AuthenticateMail): Promise<MailAuthentication> {
  const { raw, signatures, sender, ip, helo, host, dnsServers, dnsTimeoutMs = DNS_TIMEOUT_MS } = request;
  const { authenticate, spf } = await import('mailauth');
  const resolver = createResolver(createDns(dnsServers), dnsTimeoutMs);
  if (signatures > MAX_SIGNATURES) {
    const { status } = await spf({ sender, ip, helo, mta: host, resolver });
    return { spf: wordOf(SPF_RESULTS, status.result), dkim: 'policy', dmarc: 'permerror', fromDomain: null };
  }
  const content = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const result = await authenticate(content, {
    sender,
    ip,
    helo,
    mta: host,
    resolver,
    disableArc: true,
    disableBimi: true,
  });
  const spfResult = result.spf ? wordOf(SPF_RESULTS, result.spf.status.result) : 'none';
  const dkimResult = dkimResultOf(result, signatures);
  const [from, ...more] = result.dkim.headerFrom ?? [];
  return {
    spf: spfResult,
    dkim: dkimResult,
    dmarc: dmarcResultOf(result, [spfResult, dkimResult].includes('temperror')),
    fromDomain: from === undefined || more.length > 0 ? null : from.slice(from.lastIndexOf('@') + 1).toLowerCase(),
  };
}

/** The best result of all signatures: one valid signature is enough. */
function dkimResultOf({ dkim }: AuthenticateResult, signatures: number): Authentication['dkim'] {
  if (signatures === 0) return 'none';
  const words = dkim.results.map(({ status: { result, comment } }) =>
    // RFC 8601 calls a signature that does not match the content a failure; mailauth is neutral about a wrong body
    // hash.
    result === 'neutral' && comment === 'body hash did not verify' ? 'fail' : wordOf(DKIM_RESULTS, result),
  );
  const preferred = (['pass', 'temperror', 'fail', 'policy', 'permerror'] as const).find((word) =>
    words.includes(word),
  );
  // None of the rest is usable, such as one with an unknown algorithm.
  return preferred ?? 'neutral';
}

function dmarcResultOf({ dmarc, dkim }: AuthenticateResult, isIncomplete: boolean): Authentication['dmarc'] {
  // DMARC requires exactly one address in From (RFC 7489, section 6.6.1).
  if (!dmarc) return (dkim.headerFrom?.length ?? 0) > 1 ? 'permerror' : 'none';
  const word = wordOf(DMARC_RESULTS, dmarc.status.result);
  return word === 'fail' && isIncomplete ? 'temperror' : word;
}

/** Returns `result` as one of the known words, or `permerror`. */
function wordOf<T extends string>(words: readonly T[], result: string): T | 'permerror' {
  return words.find((word) => word === result) ?? 'permerror';
}

/** mailauth's types leave out the objects of MX records, which it does accept. */
const isAnswer = (records: unknown): records is string[] => Array.isArray(records);

const dnsError = (code: string): Error => Object.assign(new Error(`DNS query failed: ${code}`), { code });

/**
 * Returns a resolver with the interface of `dns.promises.resolve`. It fails with ETIMEOUT for queries that the DNS did
 * not answer, and for all queries after the time limit or after MAX_DNS_QUERIES.
 */
function createResolver(dns: Dns, timeoutMs: number): (name: string, type: string) => Promise<string[]> {
  const deadline = Date.now() + timeoutMs;
  let queries = 0;
  const query = async (name: string, type: string): Promise<unknown[]> => {
    switch (type) {
      case 'TXT':
        return (await dns.txt(name)).map((text) => [text]);
      case 'MX':
        return dns.mx(name);
      case 'A':
        return dns.a(name);
      case 'AAAA':
        return dns.aaaa(name);
      default:
        // PTR: deprecated in SPF, and slow (RFC 7208, section 5.5).
        return [];
    }
  };
  return async (name, type) => {
    if (++queries > MAX_DNS_QUERIES) throw dnsError('ETIMEOUT');
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(dnsError('ETIMEOUT')), Math.max(deadline - Date.now(), 0));
    });
    const records = await Promise.race([query(name, type), timeout])
      .catch(() => {
        throw dnsError('ETIMEOUT');
      })
      .finally(() => clearTimeout(timer));
    if (records.length === 0 || !isAnswer(records)) throw dnsError('ENODATA');
    return records;
  };
}
