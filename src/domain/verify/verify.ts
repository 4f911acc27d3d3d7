/** `POST /v1/verify`: what can be known of an address without sending to it. */
import type { Context } from '../../context.js';
import { lookUpDomain } from './facts.js';
import { judgeDomain } from './judge.js';
import { loadLists, type Lists } from './lists.js';
import { remember } from './remember.js';
import { suggestDomain } from './typo.js';

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

/** An answer is promised within 5 s (contract, section 8); what is left is for everything that is not DNS. */
const DNS_MS = 4000;

/**
 * What a domain has hardly changes; what it lacks may be added the next moment; what nobody answered is asked again at
 * once.
 */
const KEEP_MS = 60_000;
const KEEP_REFUSAL_MS = 5000;
/** About 1 KB each. */
const MAX_DOMAINS = 5000;

/**
 * Makes the function that verifies addresses; its memory of domains is its own.
 *
 * `valid` is the contract's rule: well-formed (the caller has checked that), the domain exists, and it takes mail.
 * Everything else is information. No mail server is asked anything, so whether the mailbox exists stays open.
 *
 * @returns a function of an address in the form in which addresses are kept: lower case, its domain in ASCII
 */
export function createVerifier(ctx: Pick<Context, 'dns'>): (email: string) => Promise<Verification> {
  const lookUp = remember(async (domain) => judgeDomain(await lookUpDomain(ctx.dns, domain, DNS_MS)), {
    max: MAX_DOMAINS,
    keepMs: ({ isComplete, takesMail }) => (!isComplete ? 0 : takesMail ? KEEP_MS : KEEP_REFUSAL_MS),
  });
  let lists: Promise<Lists> | undefined;

  return async (email) => {
    const at = email.lastIndexOf('@');
    const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
    lists ??= loadLists();
    const [
      { isDisposable, isAlias, isPersonal, wellKnown },
      { takesMail, domainExists, hasWebsite, hasMxRecords, reasons },
    ] = await Promise.all([lists, lookUp(domain)]);
    const kind = { isDisposable: isDisposable(domain), isAlias: isAlias(domain), isPersonal: isPersonal(domain) };
    // A DNS that says nothing does not speak against the domain.
    const isEstablished = takesMail !== false || Object.values(kind).includes(true);
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
      valid: domainExists && takesMail === true,
      ...found,
      domainExists,
      hasWebsite,
      hasMxRecords,
      reasons: [
        ...reasons,
        ...(suggestion === null ? [] : [`The domain looks misspelt: ${local}@${suggestion} may be meant.`]),
        ...(found.isDisposable ? ['The domain belongs to a service of disposable addresses.'] : []),
        ...(found.isAlias ? ['The domain belongs to a service that forwards to other mailboxes.'] : []),
        ...(found.isPlusAddressed ? ['The address has a plus tag.'] : []),
        ...(found.isPersonalEmail ? ['The domain belongs to a provider of personal mailboxes.'] : []),
      ],
    };
  };
}
