/** The Idempotency-Key header (specification, `POST /v1/send`; contract, section 1, "Idempotency"). */
import type { Pool } from '../../db/pool.js';
import { contactOfEvent, contactsOfEmails, findClaimedKey, type ClaimedKey } from './sql.js';
import { ApiError, validationError } from '../../errors.js';

/**
 * Starts the stored form of every key from a public key request, so that those keys have their own namespace. A key
 * from a header has no newline, so it cannot be mistaken for this prefix. Keys without the prefix belong to the secret
 * key and to sessions; this is also the form that earlier versions wrote.
 */
const PUBLIC_KEY_NAMESPACE = 'public\n';

/** The kind of credential of a request. Keys are unique per project and kind. */
export type IdempotencyScope = 'public' | 'secret';

/**
 * Returns the stored form of an `Idempotency-Key` header, or null if the request has none.
 *
 * @throws VALIDATION_ERROR (422, field `Idempotency-Key`) unless the value is 1 to 255 printable ASCII characters
 */
export function readIdempotencyKey(header: string | string[] | undefined, scope: IdempotencyScope): string | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw validationError([
      { field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters', code: 'invalid_string' },
    ]);
  }
  return scope === 'public' ? `${PUBLIC_KEY_NAMESPACE}${header}` : header;
}

/** Returns the stored form of the key of one email of a batch whose emails are accepted one by one. */
export const keyOfBatchItem = (key: string, index: number): string => `batch\n${index}\n${key}`;

/** What the key of a batch stores whose requests have keys of their own (`keyOfBatchItem`). */
export const BATCH_OF_ITEMS = { mode: 'each' };

/** Whether the key belongs to such a batch. */
export const isOfBatchOfItems = ({ response }: ClaimedKey): boolean => response.mode === BATCH_OF_ITEMS.mode;

/** Returns the key as the client sent it, which has no newline. */
const headerOf = (key: string): string => key.slice(key.lastIndexOf('\n') + 1);

/**
 * Decides which error a failed request with a key returns. If the key was used before, the caller must learn that the
 * first request succeeded, even if this request fails for another reason (a template was deleted since, for example).
 *
 * @param key the stored form, from `readIdempotencyKey`
 * @param error the error of the request
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
      key: headerOf(key),
      originalRequest: claimed?.request ?? null,
      originalRequestAt: claimed?.createdAt.toISOString() ?? null,
      originalStatusCode: claimed?.request === 'POST /events/track' ? 201 : 200,
      originalResponse: claimed ? await rebuildResponse(pool, projectId, claimed) : null,
    },
  });
}

/** Rebuilds the response of the first request from the ids that its key stores; null for `BATCH_OF_ITEMS`. */
async function rebuildResponse(
  pool: Pool,
  projectId: string,
  claimed: ClaimedKey,
): Promise<Record<string, unknown> | null> {
  if (isOfBatchOfItems(claimed)) return null;
  const { response, createdAt } = claimed;
  if (typeof response.event === 'string') {
    // The event has the time of the statement that claimed the key.
    return {
      contact: await contactOfEvent(pool, projectId, response.event),
      event: response.event,
      timestamp: createdAt.toISOString(),
    };
  }
  const timestamp = String(response.timestamp);
  if (Array.isArray(response.batch)) {
    const ids = response.batch.map(idsOf);
    const emails = new Map((await emailsOf(pool, projectId, ids.flat())).map((email) => [email.email, email]));
    const dataOf = (of: string[]) => ({ emails: of.flatMap((id) => emails.get(id) ?? []), timestamp });
    return { data: ids.map((of) => ({ success: true, data: dataOf(of) })) };
  }
  return { emails: await emailsOf(pool, projectId, idsOf(response.emails)), timestamp };
}

const idsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((id): id is string => typeof id === 'string') : [];

async function emailsOf(pool: Pool, projectId: string, ids: string[]) {
  const rows = await contactsOfEmails(pool, projectId, ids);
  return rows.map(({ emailId, contactId, toEmail }) => ({
    contact: { id: contactId, email: toEmail },
    email: emailId,
  }));
}
