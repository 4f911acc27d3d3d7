/** The DKIM keys of sender domains. */
import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.js';
import { decryptSecret } from '../../mail/secrets.js';

export interface DomainKey {
  domain: string;
  /** The public key is at `<selector>._domainkey.<domain>`. */
  selector: string;
  /** PKCS #8. */
  privateKeyPem: string;
}

/** A selector that is not in use at the domain: the name of a key must not be taken by somebody else's service. */
export const newSelector = (): string => `sl${randomBytes(4).toString('hex')}`;

/**
 * The key that signs mail from a domain of the project, or null when the project has no such domain.
 *
 * Also that of a domain that is not verified (any more): mail that was accepted while it was still goes out signed.
 *
 * @param domain in lower case
 * @throws Error when the key was stored with another `SECRET_KEY`
 */
export async function loadDkim(
  ctx: Pick<Context, 'prisma' | 'config'>,
  projectId: string,
  domain: string,
): Promise<DomainKey | null> {
  const row = await ctx.prisma.domain.findUnique({
    where: { projectId_domain: { projectId, domain } },
    select: { dkimSelector: true, dkimPrivateKey: true },
  });
  return (
    row && {
      domain,
      selector: row.dkimSelector,
      privateKeyPem: decryptSecret(ctx.config.SECRET_KEY, row.dkimPrivateKey),
    }
  );
}
