/**
 * The addresses that the listener accepts mail for: return paths and unsubscribe addresses of emails that we sent, and
 * addresses at inbound domains. It relays nothing.
 */
import { domainToASCII } from 'node:url';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.js';
import type { Queryable } from '../db/pool.js';
import { findOrigin } from '../domain/feedback/sql/origin.js';
import { findMailDomain } from './sql.js';
import { DnsUnavailable } from '../dns.js';
import { normalizeAddress, normalizeHost } from '../address.js';
import { inboundHosts } from '../config.js';
import { returnPathName } from '../domain/domains/records.js';
import { domainOf } from '../domain/domains/sender.js';
import { PLATFORM_PROJECT } from '../domain/platform/sender.js';
import type { MailedTarget } from '../mail/links.js';
import { noSuchAddress, SmtpReply } from './reply.js';

export type Recipient =
  /** All mail to this address is about one email. */
  | { kind: 'return_path'; address: string; emailId: string }
  /** A mail to this address unsubscribes the recipient of one email; `contactId` is null if it is not a contact. */
  | { kind: 'unsubscribe'; address: string; contactId: string | null; emailId: string }
  /** An address at an inbound domain of the project. */
  | { kind: 'mailbox'; address: string; projectId: string };

export interface Recipients {
  /**
   * Finds the recipient of an address.
   *
   * @throws SmtpReply: 550 for an unknown address, 451 if the DNS does not answer; database errors
   */
  resolve: (db: Queryable, address: string) => Promise<Recipient>;
}

const MX_TTL_MS = 5 * 60_000;
/** Shorter, because the owner of a new domain tests it immediately. */
const FOREIGN_MX_TTL_MS = 20_000;
const MAX_CACHED_DOMAINS = 10_000;
const MAX_ADDRESS_LENGTH = 320;

export function createRecipients({
  config,
  dns,
  returnPaths,
  links,
}: Pick<Context, 'config' | 'dns' | 'returnPaths' | 'links'>): Recipients {
  const hosts = inboundHosts(config);
  const mxCache = new LRUCache<string, { isOurs: boolean }>({ max: MAX_CACHED_DOMAINS, ttl: MX_TTL_MS });

  /** Whether the MX records of a domain name one of our hosts, which is how its owner asks for inbound mail. */
  const hasOurMx = async (domain: string, ourHosts: readonly string[]): Promise<boolean> => {
    const cached = mxCache.get(domain);
    if (cached) return cached.isOurs;
    const records = await dns.mx(domain).catch((error: unknown) => {
      if (error instanceof DnsUnavailable) throw new SmtpReply(451, '4.4.3 DNS lookup failed, try again later');
      throw error;
    });
    const isOurs = records.some(({ exchange }) => ourHosts.includes(normalizeHost(exchange)));
    mxCache.set(domain, { isOurs }, { ttl: isOurs ? MX_TTL_MS : FOREIGN_MX_TTL_MS });
    return isOurs;
  };

  const resolveReturnPath = async (
    db: Queryable,
    emailId: string,
    host: string,
    address: string,
  ): Promise<Recipient> => {
    const origin = await findOrigin(db, emailId);
    if (!origin) throw noSuchAddress();
    // Some servers replace an alias with its target (RFC 1123, section 5.2.2).
    const validHosts = [returnPathName(domainToASCII(domainOf(origin.from))), ...hosts];
    if (!validHosts.includes(host)) throw noSuchAddress();
    return { kind: 'return_path', address, emailId };
  };

  const resolveUnsubscribe = async (
    db: Queryable,
    { contactId, emailId, host }: MailedTarget,
    address: string,
  ): Promise<Recipient> => {
    if (!hosts.includes(host)) throw noSuchAddress();
    // A deleted contact gets no more email. Of other recipients, only the email has the address.
    if (contactId === null && !(await findOrigin(db, emailId))) throw noSuchAddress();
    return { kind: 'unsubscribe', address, contactId, emailId };
  };

  return {
    async resolve(db, given) {
      const address = normalizeAddress(given);
      const path = returnPaths.read(address);
      if (path) return resolveReturnPath(db, path.emailId, path.host, address);
      const mailed = links.readUnsubscribeAddress(address);
      if (mailed) return resolveUnsubscribe(db, mailed, address);
      const domain = address.slice(address.lastIndexOf('@') + 1);
      if (address.length > MAX_ADDRESS_LENGTH || !domain.includes('.')) throw noSuchAddress();
      const found = await findMailDomain(db, domain);
      // The platform's own domain has no mailboxes.
      if (!found || found.projectId === PLATFORM_PROJECT) throw noSuchAddress();
      if (!(await hasOurMx(domain, [...hosts, ...found.hosts.map(normalizeHost)]))) throw noSuchAddress();
      if (found.disabled) throw new SmtpReply(550, '5.2.1 This address does not accept mail');
      return { kind: 'mailbox', address, projectId: found.projectId };
    },
  };
}
