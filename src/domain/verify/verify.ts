/** `POST /v1/verify`: checks an address without sending mail to it. */
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.js';
import { lookUpDomain } from './facts.js';
import { loadLists, type Lists } from './lists.js';
import { suggestDomain } from './typo.js';
import { evaluateDomain } from './verdict.js';

/** The specification's "Email verification result". */
export interface Verification {
  email: string;
  valid: boolean;
  isDisposable: boolean;
  isAlias: boolean;
  isTypo: boolean;
  isPlusAddressed: boolean;
  isPersonalEmail: boolean;
  domainExists: boolean;
  hasWebsite: boolean;
  hasMxRecords: boolean;
  reasons: string[];
}

/** The contract (section 8) promises a response within 5 s; the rest is for other work. */
const DNS_TIMEOUT_MS = 4000;

const VERDICT_TTL_MS = 60_000;
/** Shorter, because a missing record may have just been added. */
const NEGATIVE_TTL_MS = 5000;
/** About 1 KB each. */
const MAX_DOMAINS = 5000;

/**
 * Creates a function that verifies addresses, with its own cache of domains.
 *
 * An address is `valid` if it is well-formed (which the caller checks), its domain exists, and the domain accepts mail.
 * All other fields are information. It contacts no mail server, so it does not check whether the mailbox exists.
 *
 * @returns a function of a normalized address: lower case, its domain in ASCII
 */
export function createVerifier(ctx: Pick<Context, 'dns'>): (email: string) => Promise<Verification> {
  const findVerdict = cacheResults(
    async (domain) => evaluateDomain(await lookUpDomain(ctx.dns, domain, DNS_TIMEOUT_MS)),
    {
      max: MAX_DOMAINS,
      ttlMs: ({ isComplete, acceptsMail }) => (!isComplete ? 0 : acceptsMail ? VERDICT_TTL_MS : NEGATIVE_TTL_MS),
    },
  );
  let lists: Promise<Lists> | undefined;

  return async (email) => {
    const at = email.lastIndexOf('@');
    const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
    lists ??= loadLists();
    const [
      { isDisposable, isAlias, isPersonal, wellKnown },
      { acceptsMail, domainExists, hasWebsite, hasMxRecords, reasons },
    ] = await Promise.all([lists, findVerdict(domain)]);
    const kind = { isDisposable: isDisposable(domain), isAlias: isAlias(domain), isPersonal: isPersonal(domain) };
    // A DNS without an answer is not a sign of a typo.
    const isEstablished = acceptsMail !== false || Object.values(kind).includes(true);
    const suggestion = suggestDomain(domain, { wellKnown, isEstablished });
    const found = {
      isDisposable: kind.isDisposable,
      isAlias: kind.isAlias,
      isTypo: suggestion !== null,
      // A tag needs something before it (RFC 5233).
      isPlusAddressed: local.indexOf('+') > 0,
      isPersonalEmail: kind.isPersonal && suggestion === null,
    };
    return {
      email,
      valid: domainExists && acceptsMail === true,
      ...found,
      domainExists,
      hasWebsite,
      hasMxRecords,
      reasons: [
        ...reasons,
        ...(suggestion === null ? [] : [`The domain may contain a typo: ${local}@${suggestion} may be meant.`]),
        ...(found.isDisposable ? ['The domain belongs to a service of disposable addresses.'] : []),
        ...(found.isAlias ? ['The domain belongs to a service that forwards to other mailboxes.'] : []),
        ...(found.isPlusAddressed ? ['The address has a plus tag.'] : []),
        ...(found.isPersonalEmail ? ['The domain belongs to a provider of personal mailboxes.'] : []),
      ],
    };
  };
}

/**
 * Caches the results of `load` by key. Concurrent calls share one load. Failed loads are not cached.
 *
 * @param options.max the number of cached results
 * @param options.ttlMs returns how long a result is cached; 0 for not at all
 */
export function cacheResults<T>(
  load: (key: string) => Promise<T>,
  { max, ttlMs }: { max: number; ttlMs: (result: T) => number },
): (key: string) => Promise<T> {
  const cache = new LRUCache<string, Promise<T>>({ max });
  return (key) => {
    const cached = cache.get(key);
    if (cached) return cached;
    const loading = load(key);
    cache.set(key, loading);
    const setTtl = (ttl: number): void => {
      if (cache.peek(key) !== loading) return;
      if (ttl > 0) cache.set(key, loading, { ttl });
      else cache.delete(key);
    };
    loading.then(
      (result) => setTtl(ttlMs(result)),
      () => setTtl(0),
    );
    return loading;
  };
}
