/**
 * Which addresses the listener takes mail for: return paths of emails that we sent, and addresses at inbound domains.
 * It relays nothing.
 */
import { domainToASCII } from 'node:url';
import type { Context } from '../context.js';
import type { Queryable } from '../db/pool.js';
import { findOrigin } from '../domain/feedback/sql/origin.js';
import { findMailDomain } from './sql.js';
import { DnsUnavailable } from '../dns.js';
import { normalizeAddress } from '../domain/contacts/address.js';
import { returnPathName, sendingHost } from '../domain/domains/records.js';
import { domainOf } from '../domain/domains/sender.js';
import { PLATFORM_PROJECT } from '../domain/platform/sender.js';
import { Lru } from '../mail/lru.js';
import { noSuchAddress, SmtpReply } from './reply.js';

export type Recipient =
  /** Whatever comes here is about this email. */
  | { kind: 'return_path'; address: string; emailId: string }
  /** An address at an inbound domain of the project. */
  | { kind: 'mailbox'; address: string; projectId: string };

export interface Recipients {
  /**
   * Who an address is.
   *
   * @throws SmtpReply: 550 for an address that isn't ours, 451 while the DNS doesn't say; what the database throws
   */
  resolve: (db: Queryable, address: string) => Promise<Recipient>;
}

const LEADS_HERE_MS = 5 * 60_000;
/** Shorter, because somebody who sets a domain up tries at once. */
const LEADS_ELSEWHERE_MS = 20_000;
const KEPT_DOMAINS = 10_000;

export function createRecipients({
  config,
  dns,
  returnPaths,
}: Pick<Context, 'config' | 'dns' | 'returnPaths'>): Recipients {
  const hosts = (config.INBOUND_MX ?? sendingHost(config.PUBLIC_URL)).split(',').map(hostName).filter(Boolean);
  const known = new Lru<string, { until: number; leadsHere: boolean }>({ maxEntries: KEPT_DOMAINS });

  /** Whether the MX records of a domain name one of our hosts: its owner's wish to have its mail here. */
  const leadsHere = async (domain: string, ours: readonly string[]): Promise<boolean> => {
    const before = known.get(domain);
    if (before && before.until > Date.now()) return before.leadsHere;
    const records = await dns.mx(domain).catch((error: unknown) => {
      if (error instanceof DnsUnavailable) throw new SmtpReply(451, '4.4.3 The DNS does not answer, try again later');
      throw error;
    });
    const found = records.some(({ exchange }) => ours.includes(hostName(exchange)));
    known.set(domain, { until: Date.now() + (found ? LEADS_HERE_MS : LEADS_ELSEWHERE_MS), leadsHere: found });
    return found;
  };

  const resolveReturnPath = async (
    db: Queryable,
    emailId: string,
    host: string,
    address: string,
  ): Promise<Recipient> => {
    const origin = await findOrigin(db, emailId);
    if (!origin) throw noSuchAddress();
    // Some servers write the name that an alias leads to for the alias (RFC 1123, 5.2.2).
    const own = [returnPathName(domainToASCII(domainOf(origin.from))), ...hosts];
    if (!own.includes(host)) throw noSuchAddress();
    return { kind: 'return_path', address, emailId };
  };

  return {
    async resolve(db, given) {
      const address = normalizeAddress(given);
      const path = returnPaths.read(address);
      if (path) return resolveReturnPath(db, path.emailId, path.host, address);
      const domain = address.slice(address.lastIndexOf('@') + 1);
      // Longer than any address of ours: not worth a question.
      if (address.length > 320 || !domain.includes('.')) throw noSuchAddress();
      const found = await findMailDomain(db, domain);
      // The platform's own domain has no mailboxes.
      if (
        !found ||
        found.projectId === PLATFORM_PROJECT ||
        !(await leadsHere(domain, [...hosts, ...found.hosts.map(hostName)]))
      )
        throw noSuchAddress();
      if (found.disabled) throw new SmtpReply(550, '5.2.1 This address takes no mail');
      return { kind: 'mailbox', address, projectId: found.projectId };
    },
  };
}

const hostName = (text: string): string => text.trim().toLowerCase().replace(/\.$/, '');
