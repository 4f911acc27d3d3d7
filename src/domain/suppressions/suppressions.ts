/** The list of suppressed addresses: list, get, suppress, lift. */
import type { Context } from '../../context.js';
import {
  countSuppressions,
  deleteSuppression,
  findSuppression,
  selectSuppressions,
  upsertSuppression,
  type SuppressionReason,
  type SuppressionRow,
} from './sql.js';
import { notFound } from '../../errors.js';
import { isAddress, normalizeAddress } from '../../address.js';
import { decodePlace, encodePlace, invalidCursor, isTimestamp, likePattern, type CursorPage } from '../pagination.js';

/** A suppressed address in the API. */
export type Suppression = SuppressionRow;

export interface ListSuppressions {
  limit: number;
  cursor?: string;
  reason?: SuppressionReason;
  /** A part of the address; case is ignored. */
  search?: string;
}

/**
 * Returns one page of the suppressed addresses, newest first. `total` is 0 after the first page (specification,
 * Limits).
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) for a cursor that does not come from this list
 */
export async function listSuppressions(
  { pool }: Context,
  projectId: string,
  { limit, cursor, reason, search }: ListSuppressions,
): Promise<CursorPage<Suppression>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const text = search?.trim().toLowerCase();
  const filter = { projectId, reason, emailPattern: text ? likePattern(text) : undefined };
  // One more row than the page shows whether there is another page.
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
 * Normalizes an address.
 *
 * @throws SUPPRESSION_NOT_FOUND (404) for text that is not an address
 */
function parseAddress(text: string): string {
  const email = normalizeAddress(text);
  if (!isAddress(email)) throw notFound('SUPPRESSION');
  return email;
}

/** @throws SUPPRESSION_NOT_FOUND (404) */
export async function getSuppression({ pool }: Context, projectId: string, address: string): Promise<Suppression> {
  const suppression = await findSuppression(pool, projectId, parseAddress(address));
  if (!suppression) throw notFound('SUPPRESSION');
  return suppression;
}

export interface SuppressInput {
  email: string;
  reason: SuppressionReason;
  detail?: string | null;
}

/**
 * Suppresses an address, with or without a contact. An existing suppression stays unless the new reason is stronger: a
 * complaint is stronger than a bounce, and a bounce is stronger than a manual suppression. A contact does not change.
 *
 * @returns the suppression, and whether it is new
 */
export async function suppressAddress(
  { pool }: Context,
  projectId: string,
  { email, reason, detail = null }: SuppressInput,
): Promise<{ suppression: Suppression; isNew: boolean }> {
  const { isNew, ...suppression } = await upsertSuppression(pool, { projectId, email, reason, detail });
  return { suppression, isNew };
}

/**
 * Removes an address from the list. Its contact does not change.
 *
 * @throws SUPPRESSION_NOT_FOUND (404)
 */
export async function liftSuppression({ pool }: Context, projectId: string, address: string): Promise<void> {
  if (!(await deleteSuppression(pool, projectId, parseAddress(address)))) throw notFound('SUPPRESSION');
}
