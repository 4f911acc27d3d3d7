/** Where the bounces of a domain's mail go. */
import type { Context } from '../../context.js';
import { readRecords } from './view.js';

/**
 * The host of a domain's return path; null while its record is not verified, or there is no such domain.
 *
 * It lies below the sender's domain, so that SPF passes for a name that DMARC aligns with it (RFC 7489, 3.1.2).
 *
 * @param domain in lower case
 */
export async function returnPathHost(
  { prisma }: Pick<Context, 'prisma'>,
  projectId: string,
  domain: string,
): Promise<string | null> {
  const row = await prisma.domain.findUnique({
    where: { projectId_domain: { projectId, domain } },
    select: { records: true },
  });
  return (
    (row && readRecords(row).find(({ purpose, status }) => purpose === 'RETURN_PATH' && status === 'VERIFIED')?.name) ??
    null
  );
}
