/** Looking at the list of suppressed addresses. */
import type { Context } from '../../context.js';
import {
  countSuppressions,
  findSuppression,
  selectSuppressions,
  type SuppressionReason,
  type SuppressionRow,
} from './sql.js';
import { notFound } from '../../errors.js';
import { isAddress, normalizeAddress } from '../contacts/address.js';
import { decodePlace, encodePlace, invalidCursor, isTimestamp, likePattern, type CursorPage } from '../pagination.js';

/** A suppressed address as the API shows it. */
export type Suppression = SuppressionRow;

export interface ListSuppressions {
  limit: number;
  cursor?: string;
  reason?: SuppressionReason;
  /** A part of the address, in any case. */
  search?: string;
}

/**
 * One page of the suppressed addresses, the newest first. `total` is counted on the first page only and 0 later
 * (specification, Limits).
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) for a cursor that this list didn't give out
 */
export async function listSuppressions(
  { pool }: Context,
  projectId: string,
  { limit, cursor, reason, search }: ListSuppressions,
): Promise<CursorPage<Suppression>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const text = search?.trim().toLowerCase();
  const filter = { projectId, reason, emailPattern: text ? likePattern(text) : undefined };
  // One more than the page shows whether there is another one.
  const [rows, total] = await Promise.all([
    selectSuppressions(pool, { ...filter, after, limit: limit + 1 }),
    after ? 0 : countSuppressions(pool, filter),
  ]);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return {
    data,
    cursor: hasMore && last ? encodePlace([last.createdAt.toISOString(), last.email]) : null,
    hasMore,
    total,
  };
}

function readCursor(cursor: string): { createdAt: string; email: string } {
  const [createdAt, email] = decodePlace(cursor);
  if (!isTimestamp(createdAt) || !email.includes('@')) throw invalidCursor();
  return { createdAt, email };
}

/**
 * The address as it is kept on the list.
 *
 * @throws SUPPRESSION_NOT_FOUND (404) for what can be no address
 */
export function addressInPath(text: string): string {
  const email = normalizeAddress(text);
  if (!isAddress(email)) throw notFound('SUPPRESSION');
  return email;
}

/** @throws SUPPRESSION_NOT_FOUND (404) */
export async function getSuppression({ pool }: Context, projectId: string, address: string): Promise<Suppression> {
  const suppression = await findSuppression(pool, projectId, addressInPath(address));
  if (!suppression) throw notFound('SUPPRESSION');
  return suppression;
}
