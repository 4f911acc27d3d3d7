/**
 * The sender of the platform's own emails: `PLATFORM_FROM`, in a project without members.
 *
 * The operator's configuration vouches for the address, so emails are sent and signed before the domain is verified.
 */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { ApiError } from '../../errors.js';
import { decryptSecret } from '../../mail/secrets.js';
import type { DomainKey } from '../domains/dkim.js';
import { addDomain } from '../domains/manage.js';
import { DomainRecord } from '../domains/records.js';
import { generateKeys, keyColumns } from '../projects/keys.js';

/** The project's id, the same on every installation. */
export const PLATFORM_PROJECT = '00000000-0000-7000-8000-000000000001';

/** Creates the project if it does not exist. Its keys are discarded, so it accepts no API calls. */
export async function ensurePlatformProject(db: Queryable): Promise<void> {
  const { publicKey, secretHash, secretLast4 } = keyColumns(generateKeys());
  await db.query({
    name: 'platform-project',
    text: `INSERT INTO projects (id, name, public_key, secret_hash, secret_last4, tracking)
           VALUES ($1, $2, $3, $4, $5, 'DISABLED') ON CONFLICT (id) DO NOTHING`,
    values: [PLATFORM_PROJECT, 'Platform', publicKey, secretHash, secretLast4],
  });
}

interface SenderDomain {
  projectId: string;
  status: 'PENDING' | 'VERIFIED' | 'FAILED';
  selector: string;
  /** Encrypted. */
  privateKey: string;
  records: unknown;
}

/** Returns the verified domain of that name from any project, or else the platform project's own. */
async function findSenderDomain(db: Queryable, domain: string): Promise<SenderDomain | null> {
  const { rows } = await db.query<SenderDomain>({
    name: 'platform-sender-domain',
    text: `SELECT project_id AS "projectId", status, dkim_selector AS selector, dkim_private_key AS "privateKey", records
             FROM domains
            WHERE domain = $2 AND (status = 'VERIFIED' OR project_id = $1)
            ORDER BY status = 'VERIFIED' DESC LIMIT 1`,
    values: [PLATFORM_PROJECT, domain],
  });
  return rows[0] ?? null;
}

async function ensureSenderDomain(ctx: Context, domain: string): Promise<SenderDomain> {
  const known = await findSenderDomain(ctx.pool, domain);
  if (known) return known;
  await ensurePlatformProject(ctx.pool);
  await addDomain(ctx, PLATFORM_PROJECT, domain).catch((error: unknown) => {
    // Another worker added it, or another project verified it, in the meantime.
    if (!(error instanceof ApiError && error.code === 'CONFLICT')) throw error;
  });
  const added = await findSenderDomain(ctx.pool, domain);
  if (!added) throw new Error("The platform's sender domain was deleted right after it was added.");
  if (added.status !== 'VERIFIED') warnUnverified(ctx, added);
  return added;
}

function warnUnverified({ log }: Context, { records }: SenderDomain): void {
  const dkim = DomainRecord.array()
    .parse(records)
    .find(({ purpose }) => purpose === 'DKIM');
  log.warn(
    { type: dkim?.type, name: dkim?.name, value: dkim?.value },
    'Platform: the domain of PLATFORM_FROM is not verified. Publish this DNS record, so that receivers trust its emails',
  );
}

/**
 * Returns the key that signs the platform's emails from a domain: the key of the project in which the domain is
 * verified, or else the platform project's key, which the first use creates.
 */
export async function platformDkim(ctx: Context, domain: string): Promise<DomainKey> {
  const { selector, privateKey } = await ensureSenderDomain(ctx, domain);
  return { domain, selector, privateKeyPem: decryptSecret(ctx.config.SECRET_KEY, privateKey) };
}
