/** The addresses that send a campaign. */
import type { Pool } from '../../db/pool.js';
import { requireVerifiedSender } from '../domains/sender.js';
import type { CompleteCampaign } from './problems.js';
import type { Variant } from './variants.js';

/**
 * Checks the sender of a campaign, and those of its variants.
 *
 * @throws 403 if the domain of one is not verified
 */
export async function requireVerifiedSenders(
  pool: Pool,
  { projectId, from, variants }: CompleteCampaign,
): Promise<void> {
  const senders = ((variants ?? []) as unknown as Variant[]).map((variant) => variant.from ?? from);
  for (const sender of new Set([from, ...senders])) await requireVerifiedSender(pool, projectId, sender);
}
