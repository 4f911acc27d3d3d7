/**
 * Who may send: the domain of a sender must be verified for the project, itself and not one below or above it
 * (contract, section 4).
 */
import type { Queryable } from '../../db/pool.js';
import { unverifiedDomain } from '../../errors.js';

/** The domain of an address, in lower case. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/**
 * @throws INTERNAL_SERVER_ERROR with status 403 (the specification's oddity) when the sender's domain is not verified
 * for the project
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
