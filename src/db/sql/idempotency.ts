/** Idempotency keys: what a claimed key's first request was and answered. Keys are claimed in the statement that does the work. */
import type { Queryable } from '../pool.js';

export interface ClaimedKey {
  request: string;
  createdAt: Date;
  response: Record<string, unknown>;
}

/** A key's claim while it lasts; null once it has expired, for it is free again. */
export async function findClaimedKey(db: Queryable, projectId: string, key: string): Promise<ClaimedKey | null> {
  const { rows } = await db.query<ClaimedKey>({
    name: 'idempotency-find',
    text: `SELECT request, created_at AS "createdAt", response FROM idempotency_keys WHERE project_id = $1 AND key = $2 AND expires_at > now()`,
    values: [projectId, key],
  });
  return rows[0] ?? null;
}

/** The contacts of emails, in the order of the ids; both null once the contact is gone. */
export async function contactsOfEmails(db: Queryable, projectId: string, emailIds: string[]): Promise<Array<{ emailId: string; contactId: string | null; toEmail: string }>> {
  const { rows } = await db.query<{ emailId: string; contactId: string | null; toEmail: string }>({
    name: 'contacts-of-emails',
    text: `SELECT e.id AS "emailId", e.contact_id AS "contactId", e.to_email AS "toEmail"
             FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted(id, position) JOIN emails e ON e.id = wanted.id AND e.project_id = $1 ORDER BY wanted.position`,
    values: [projectId, emailIds],
  });
  return rows;
}

/** Removes keys that have expired, a batch at a time. @returns how many */
export async function deleteExpiredKeys(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM idempotency_keys WHERE (project_id, key) IN (SELECT project_id, key FROM idempotency_keys WHERE expires_at <= now() LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}
