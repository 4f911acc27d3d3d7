/** Sender domains: list, add, verify, remove (specification, "Domains"; contract, section 8). */
import type { ApiContext, Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { transaction } from '../../db/pool.js';
import { deleteDomain, findConflictingDomain, findUses, insertDomain, lockDomain } from './sql.js';
import { enqueue } from '../../db/outbox.js';
import { conflict, notFound } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { encryptSecret } from '../../mail/secrets.js';
import { generateDkimKey } from '../../mail/sign.js';
import { MANAGERS, requireRole } from '../projects/access.js';
import { checkDomain } from './check.js';
import { newSelector } from './dkim.js';
import { domainStart, domainWorkflowId } from './intents.js';
import { parseDomainName } from './name.js';
import { sendingHost } from '../../address.js';
import { expectedRecords } from './records.js';
import { toDomain, type Domain } from './view.js';
import { toZone } from './zone.js';

/** How long adding a domain waits for its first check. The workflow checks again anyway. */
const FIRST_CHECK_TIMEOUT_MS = 2000;

/**
 * Refuses a member of the team who may only read domains. API keys may do everything: they have no user.
 *
 * @throws FORBIDDEN (403) unless the user is an owner or admin of the project (contract, section 2)
 */
export async function requireDomainManager(
  ctx: ApiContext,
  projectId: string,
  userId: string | undefined,
): Promise<void> {
  if (userId !== undefined) await requireRole(ctx, userId, projectId, MANAGERS);
}

/** All domains of a project, the newest first. */
export async function listDomains(ctx: ApiContext, projectId: string): Promise<Domain[]> {
  const rows = await ctx.prisma.domain.findMany({
    where: { projectId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    omit: { dkimPrivateKey: true },
  });
  return rows.map(toDomain);
}

/**
 * Adds a domain, generates its DKIM key, and checks it for the first time.
 *
 * The row and the start of its verification are committed before the check, so a slow DNS or a crash does not lose the
 * domain.
 *
 * @returns the domain with the records to publish
 * @throws VALIDATION_ERROR (422, not a domain name), CONFLICT (409, already in this project, or verified in another
 * one)
 */
export async function addDomain(ctx: Context, projectId: string, name: string): Promise<Domain> {
  const domain = parseDomainName(name);
  const existing = await findConflictingDomain(ctx.pool, projectId, domain);
  if (existing === 'own') throw alreadyAdded(domain);
  if (existing === 'other')
    throw conflict(`The domain ${domain} is verified in another project. Remove it there first.`);

  const { privateKeyPem, publicKeyBase64 } = await generateDkimKey();
  const id = newId();
  const selector = newSelector();
  const row = await transaction(ctx.pool, async (tx) => {
    const added = await insertDomain(tx, {
      id,
      projectId,
      domain,
      dkimSelector: selector,
      dkimPrivateKey: encryptSecret(ctx.config.SECRET_KEY, privateKeyPem),
      records: expectedRecords({
        domain,
        selector,
        publicKey: publicKeyBase64,
        host: sendingHost(ctx.config.PUBLIC_URL),
      }),
    });
    await enqueue(tx, [domainStart(added)]);
    return added;
  }).catch((error: unknown) => {
    // A concurrent request added the same name.
    throw sqlState(error) === '23505' ? alreadyAdded(domain) : error;
  });
  ctx.wake('outbox');

  const checked = await checkDomain(ctx, id, { withinMs: FIRST_CHECK_TIMEOUT_MS }).catch((error: unknown) => {
    ctx.log.warn({ err: error, domainId: id }, 'The first check of a new domain failed; its workflow checks again');
    return null;
  });
  return checked ?? toDomain(row);
}

/**
 * Returns a domain of the project.
 *
 * @throws DOMAIN_NOT_FOUND (404)
 */
export async function getDomain(ctx: ApiContext, projectId: string, id: string): Promise<Domain> {
  const row = isId(id)
    ? await ctx.prisma.domain.findFirst({ where: { id, projectId }, omit: { dkimPrivateKey: true } })
    : null;
  if (!row) throw notFound('DOMAIN');
  return toDomain(row);
}

/**
 * Returns the DNS records of a domain as a zone file.
 *
 * @throws DOMAIN_NOT_FOUND (404)
 */
export async function getZone(ctx: ApiContext, projectId: string, id: string): Promise<string> {
  const { domain, records } = await getDomain(ctx, projectId, id);
  return toZone(domain, records);
}

/**
 * Checks a domain now and wakes its workflow, which schedules the next check by the new status.
 *
 * @returns the domain after the check; unchanged if the DNS does not answer
 * @throws DOMAIN_NOT_FOUND (404)
 */
export async function verifyDomain(ctx: ApiContext, projectId: string, id: string): Promise<Domain> {
  if (!(await isOwn(ctx, projectId, id))) throw notFound('DOMAIN');
  const domain = await checkDomain(ctx, id, {
    intents: [{ action: 'signal', workflowId: domainWorkflowId(id), signal: 'poke' }],
  });
  if (!domain) throw notFound('DOMAIN');
  ctx.wake('outbox');
  return domain;
}

/**
 * Removes a domain and ends its verification.
 *
 * @throws DOMAIN_NOT_FOUND (404), CONFLICT (409, templates, workflow steps, or unsent campaigns send from it; `details`
 * lists them)
 */
export async function removeDomain(ctx: Context, projectId: string, id: string): Promise<void> {
  if (!isId(id)) throw notFound('DOMAIN');
  await transaction(ctx.pool, async (tx) => {
    const row = await lockDomain(tx, id);
    if (row?.projectId !== projectId) throw notFound('DOMAIN');
    const uses = await findUses(tx, projectId, row.domain);
    if (Object.values(uses).some((list) => list.length > 0)) {
      throw conflict(`The domain ${row.domain} is the sender of templates, workflow steps, or unsent campaigns.`, {
        details: { ...uses },
        suggestion: 'Change the sender of the items in `details`, or delete them. Then try again.',
      });
    }
    await deleteDomain(tx, id);
    await enqueue(tx, [{ action: 'cancel', workflowId: domainWorkflowId(id), reason: 'The domain was removed' }]);
  });
  ctx.wake('outbox');
}

const alreadyAdded = (domain: string) => conflict(`The domain ${domain} is already in this project.`);

const isOwn = async (ctx: ApiContext, projectId: string, id: string): Promise<boolean> =>
  isId(id) && (await ctx.prisma.domain.count({ where: { id, projectId } })) > 0;
