/**
 * Who sends the platform's own mails: `PLATFORM_FROM`, in a project that nobody is a member of.
 *
 * The operator's configuration says whose the address is; so mails are sent and signed from the beginning, and the
 * domain needn't be verified first.
 */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { ensureProject, findSenderDomain, type SenderDomain } from './sql.js';
import { ApiError } from '../../errors.js';
import { decryptSecret } from '../../mail/secrets.js';
import type { DomainKey } from '../domains/dkim.js';
import { addDomain } from '../domains/manage.js';
import { DomainRecord } from '../domains/records.js';
import { keyColumns, makeKeys } from '../projects/keys.js';

/** The project's id, the same on every installation. */
export const PLATFORM_PROJECT = '00000000-0000-7000-8000-000000000001';

/** Makes the project unless it is there. Its keys are thrown away: nobody can call anything with them. */
export async function ensurePlatformProject(db: Queryable): Promise<void> {
  await ensureProject(db, { id: PLATFORM_PROJECT, name: 'Platform', ...keyColumns(makeKeys()) });
}

async function senderDomain(ctx: Context, domain: string): Promise<SenderDomain> {
  const known = await findSenderDomain(ctx.pool, PLATFORM_PROJECT, domain);
  if (known) return known;
  await ensurePlatformProject(ctx.pool);
  await addDomain(ctx, PLATFORM_PROJECT, domain).catch((error: unknown) => {
    // Another worker adds it at the same moment, or somebody has verified it meanwhile.
    if (!(error instanceof ApiError && error.code === 'CONFLICT')) throw error;
  });
  const added = await findSenderDomain(ctx.pool, PLATFORM_PROJECT, domain);
  if (!added) throw new Error("The domain of the platform's sender was removed as soon as it was added");
  if (added.status !== 'VERIFIED') warn(ctx, added);
  return added;
}

function warn({ log }: Context, { records }: SenderDomain): void {
  const dkim = DomainRecord.array()
    .parse(records)
    .find(({ purpose }) => purpose === 'DKIM');
  log.warn(
    { type: dkim?.type, name: dkim?.name, value: dkim?.value },
    "The domain of the platform's own mails (PLATFORM_FROM) is not verified: publish this record, so that receivers trust them",
  );
}

/**
 * The key that signs the platform's mails from a domain: that of the project in which it is verified, else one of the
 * platform's own, made at the first use.
 */
export async function platformDkim(ctx: Context, domain: string): Promise<DomainKey> {
  const { selector, privateKey } = await senderDomain(ctx, domain);
  return { domain, selector, privateKeyPem: decryptSecret(ctx.config.SECRET_KEY, privateKey) };
}
