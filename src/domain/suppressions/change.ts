/** Suppressing an address by hand, and lifting a suppression. */
import type { Context } from '../../context.js';
import { deleteSuppression, upsertSuppression, type SuppressionReason } from './sql.js';
import { notFound } from '../../errors.js';
import { addressInPath, type Suppression } from './list.js';

export interface SuppressInput {
  email: string;
  reason: SuppressionReason;
  detail?: string | null;
}

/**
 * Suppresses an address, whether it is a contact's or not. One that is suppressed keeps what is known of it, unless the
 * new reason is a stronger one: a complaint before a bounce before a decision by hand. Its contact, if there is one,
 * stays as it is: the list alone keeps mail away.
 *
 * @returns the suppression, and whether the address was not suppressed before
 */
export async function suppress(
  { pool }: Context,
  projectId: string,
  { email, reason, detail = null }: SuppressInput,
): Promise<{ suppression: Suppression; isNew: boolean }> {
  const { isNew, ...suppression } = await upsertSuppression(pool, { projectId, email, reason, detail });
  return { suppression, isNew };
}

/**
 * Takes an address off the list. Its contact stays unsubscribed if it is: that is another decision.
 *
 * @throws SUPPRESSION_NOT_FOUND (404)
 */
export async function liftSuppression({ pool }: Context, projectId: string, address: string): Promise<void> {
  if (!(await deleteSuppression(pool, projectId, addressInPath(address)))) throw notFound('SUPPRESSION');
}
