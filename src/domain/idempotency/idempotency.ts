/**
 * The Idempotency-Key header (specification, `POST /v1/send`; contract, section 1, "Idempotency").
 */
import type { Pool } from '../../db/pool.js';
import { contactOfEvent, contactsOfEmails, findClaimedKey, type ClaimedKey } from './sql.js';
import { ApiError, validationError } from '../../errors.js';

/** @throws VALIDATION_ERROR (422, field `Idempotency-Key`) unless it is 1 to 255 printable ASCII characters */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw validationError([
      { field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters', code: 'invalid_string' },
    ]);
  }
  return header;
}

/**
 * Decides which error a failed request with a key returns. If the key was used before, the caller must learn that the
 * first request succeeded, even if this request fails for another reason (a template was deleted since, for example).
 *
 * @param error what the request failed with
 * @returns IDEMPOTENCY_KEY_REUSED (409) if `error` is a rejection and the key was used before; otherwise `error`
 */
export async function preferReusedKey(
  pool: Pool,
  projectId: string,
  key: string | null,
  error: unknown,
): Promise<unknown> {
  const isRejection = error instanceof ApiError && error.status < 500;
  if (key === null || !isRejection || error.code === 'IDEMPOTENCY_KEY_REUSED') return error;
  return (await findClaimedKey(pool, projectId, key)) ? idempotencyKeyReused(pool, projectId, key) : error;
}

/** Creates the 409 for a used key, with the first request and its response in `details`. */
export async function idempotencyKeyReused(pool: Pool, projectId: string, key: string): Promise<ApiError> {
  const claimed = await findClaimedKey(pool, projectId, key);
  return new ApiError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used for a request that succeeded.', {
    details: {
      key,
      originalRequest: claimed?.request ?? null,
      originalRequestAt: claimed?.createdAt.toISOString() ?? null,
      originalStatusCode: claimed?.request === 'POST /events/track' ? 201 : 200,
      originalResponse: claimed ? await replay(pool, projectId, claimed) : null,
    },
  });
}

/**
 * The answer that the first request got, of whichever endpoint: a key holds the ids of what was made, and the rest is
 * read from there.
 */
async function replay(
  pool: Pool,
  projectId: string,
  { response, createdAt }: ClaimedKey,
): Promise<Record<string, unknown>> {
  if (typeof response.event === 'string') {
    // The event has the time of the statement that claimed the key.
    return {
      contact: await contactOfEvent(pool, projectId, response.event),
      event: response.event,
      timestamp: createdAt.toISOString(),
    };
  }
  const ids = Array.isArray(response.emails)
    ? response.emails.filter((id): id is string => typeof id === 'string')
    : [];
  const rows = await contactsOfEmails(pool, projectId, ids);
  return {
    emails: rows.map(({ emailId, contactId, toEmail }) => ({
      contact: { id: contactId, email: toEmail },
      email: emailId,
    })),
    timestamp: String(response.timestamp),
  };
}
