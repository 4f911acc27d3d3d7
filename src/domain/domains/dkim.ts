/** The DKIM keys of sender domains. */
import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.js';
import { decryptSecret } from '../../mail/secrets.js';
import { selectDkimKey } from './sql.js';

export interface DomainKey {
  domain: string;
  /** The public key is at `<selector>._domainkey.<domain>`. */
  selector: string;
  /** PKCS #8. */
  privateKeyPem: string;
}

/** Returns a random selector, which does not conflict with the keys of other services at the domain. */
export const newSelector = (): string => `sl${randomBytes(4).toString('hex')}`;

/**
 * Returns the key that signs mail from a domain of the project; null if the project does not have the domain.
 *
 * The domain need not be verified, so that mail accepted earlier is still signed.
 *
 * @param domain in lower case
 * @throws Error if the key was stored with another `SECRET_KEY`
 */
export async function loadDkim(
  ctx: Pick<Context, 'pool' | 'config'>,
  projectId: string,
  domain: string,
): Promise<DomainKey | null> {
  const row = await selectDkimKey(ctx.pool, projectId, domain);
  return (
    row && {
      domain,
      selector: row.dkimSelector,
      privateKeyPem: decryptSecret(ctx.config.SECRET_KEY, row.dkimPrivateKey),
    }
  );
}
