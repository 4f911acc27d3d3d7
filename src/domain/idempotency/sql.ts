/** Idempotency keys. The statement that does the work of a request also claims its key, except for `BATCH_OF_ITEMS`. */
import type { Queryable } from '../../db/pool.js';

/** The key of a request and the data to store with it for the 409 of a repeat. */
export interface IdempotencyClaim {
  /** The stored form, from `readIdempotencyKey`. */
  key: string;
  /** `POST /v1/send`. */
  request: string;
  /** The ids of the rows that the request creates, or `BATCH_OF_ITEMS` (idempotency.ts). */
  response: Record<string, unknown>;
  ttlHours: number;
}

/**
 * Returns a data-modifying statement for a WITH clause. It claims the keys of `requests` (a FROM list whose `r` has
 * project_id, key, request, response, and ttl) and returns project_id and key of the keys that were free.
 *
 * A concurrent request with the same key waits here until the first one has committed, and then claims nothing.
 */
export const claimKeys = (requests: string): string => `
  INSERT INTO idempotency_keys AS k (project_id, key, request, response, expires_at)
  SELECT r.project_id, r.key, r.request, r.response, now() + make_interval(hours => r.ttl) FROM ${requests}
    WHERE r.key IS NOT NULL ORDER BY r.project_id, r.key
  ON CONFLICT (project_id, key) DO UPDATE
     SET request = excluded.request, response = excluded.response, created_at = now(), expires_at = excluded.expires_at
   WHERE k.expires_at <= now()
  RETURNING k.project_id, k.key`;

export interface ClaimedKey {
  request: string;
  createdAt: Date;
  response: Record<string, unknown>;
}

/** Claims one key on its own. @returns whether it was free */
export async function claimKey(
  db: Queryable,
  projectId: string,
  { key, request, response, ttlHours }: IdempotencyClaim,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'idempotency-claim',
    text: claimKeys(
      `(SELECT $1::uuid AS project_id, $2::text AS key, $3::text AS request, $4::jsonb AS response, $5::int AS ttl) r`,
    ),
    values: [projectId, key, request, response, ttlHours],
  });
  return rowCount === 1;
}

/** Returns the claim of a key, or null if the key is free or its claim has expired. */
export async function findClaimedKey(db: Queryable, projectId: string, key: string): Promise<ClaimedKey | null> {
  const { rows } = await db.query<ClaimedKey>({
    name: 'idempotency-find',
    text: `SELECT request, created_at AS "createdAt", response FROM idempotency_keys
             WHERE project_id = $1 AND key = $2 AND expires_at > now()`,
    values: [projectId, key],
  });
  return rows[0] ?? null;
}

/** Returns the contacts of emails in the order of the ids. `contactId` is null if the contact was deleted. */
export async function contactsOfEmails(
  db: Queryable,
  projectId: string,
  emailIds: string[],
): Promise<Array<{ emailId: string; contactId: string | null; toEmail: string }>> {
  const { rows } = await db.query<{ emailId: string; contactId: string | null; toEmail: string }>({
    name: 'contacts-of-emails',
    text: `SELECT e.id AS "emailId", e.contact_id AS "contactId", e.to_email AS "toEmail"
             FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted(id, position)
             JOIN emails e ON e.id = wanted.id AND e.project_id = $1 ORDER BY wanted.position`,
    values: [projectId, emailIds],
  });
  return rows;
}

/** Returns the contact of an event, or null if the event was deleted. */
export async function contactOfEvent(db: Queryable, projectId: string, eventId: string): Promise<string | null> {
  const { rows } = await db.query<{ contactId: string | null }>({
    name: 'contact-of-event',
    text: `SELECT contact_id AS "contactId" FROM events WHERE project_id = $1 AND id = $2`,
    values: [projectId, eventId],
  });
  return rows[0]?.contactId ?? null;
}

/** Deletes up to `limit` expired keys. @returns the number of deleted keys */
export async function deleteExpiredKeys(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM idempotency_keys
       WHERE (project_id, key) IN (SELECT project_id, key FROM idempotency_keys WHERE expires_at <= now() LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}
