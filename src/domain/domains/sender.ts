/**
 * Senders: exactly their domain must be verified for the project, not a parent or a subdomain (contract, section 4).
 */
import type { Queryable } from '../../db/pool.js';
import { unverifiedDomain } from '../../errors.js';
import { selectCheckedRecords } from './sql.js';
import { readRecords } from './view.js';

/** Returns the domain of an address in lower case. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/**
 * Checks that the sender's domain is verified for the project.
 *
 * @throws INTERNAL_SERVER_ERROR with status 403, as the specification requires, if it is not
 */
export async function requireVerifiedSender(db: Queryable, projectId: string, from: string): Promise<void> {
  const domain = domainOf(from);
  const { rowCount } = await db.query({
    name: 'domain-is-verified',
    text: `SELECT 1 FROM domains WHERE project_id = $1 AND domain = $2 AND status = 'VERIFIED'`,
    values: [projectId, domain],
  });
  if (rowCount === 0) throw unverifiedDomain(domain);
}

/**
 * Returns the host of a domain's return path; null if its record is not verified or the domain does not exist.
 *
 * The host is below the sender's domain, so that SPF passes for a name that DMARC aligns with it (RFC 7489, section
 * 3.1.2).
 *
 * @param domain in lower case
 */
export async function returnPathHost(db: Queryable, projectId: string, domain: string): Promise<string | null> {
  const [row] = await selectCheckedRecords(db, projectId, [domain]);
  return (
    (row && readRecords(row).find(({ purpose, status }) => purpose === 'RETURN_PATH' && status === 'VERIFIED')?.name) ??
    null
  );
}
