/**
 * The Idempotency-Key header (specification, `POST /v1/send`; contract, section 1, "Idempotency").
 */
import type { Pool } from '../db/pool.js';
import { findClaimedKey } from '../db/sql/idempotency.js';
import { ApiError, validationError } from '../errors.js';

/** @throws VALIDATION_ERROR (422, field `Idempotency-Key`) unless it is 1 to 255 printable ASCII characters */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw validationError([{ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters', code: 'invalid_string' }]);
  }
  return header;
}

/**
 * The 409 for a key that is taken, with what the first request was and answered.
 *
 * @param replay turns the stored response into the answer that the first request got
 */
export async function keyReused(pool: Pool, projectId: string, key: string, replay: (response: Record<string, unknown>) => Promise<unknown>): Promise<ApiError> {
  const claimed = await findClaimedKey(pool, projectId, key);
  return new ApiError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used for a request that succeeded.', {
    details: {
      key,
      originalRequest: claimed?.request ?? null,
      originalRequestAt: claimed?.createdAt.toISOString() ?? null,
      originalStatusCode: 200,
      originalResponse: claimed ? await replay(claimed.response) : null,
    },
  });
}
