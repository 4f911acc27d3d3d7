/** SQL of inbound mail. */
import type { Queryable } from '../db/pool.js';

export interface MailDomain {
  projectId: string;
  disabled: boolean;
  /** The hosts of the domain's RETURN_PATH records: names of ours that the domain's owner knows. */
  hosts: string[];
}

/** Returns the project that has verified a domain. */
export async function findMailDomain(db: Queryable, domain: string): Promise<MailDomain | null> {
  const { rows } = await db.query<MailDomain>({
    name: 'inbound-domain',
    text: `SELECT d.project_id AS "projectId", p.disabled,
                  ARRAY(SELECT r ->> 'value' FROM jsonb_array_elements(d.records) AS r
                         WHERE r ->> 'purpose' = 'RETURN_PATH') AS hosts
             FROM domains d JOIN projects p ON p.id = d.project_id
            WHERE d.domain = $1 AND d.status = 'VERIFIED'`,
    values: [domain],
  });
  return rows[0] ?? null;
}

/** Counts the mails of a contact that were received within the last hour. */
export async function countReceived(db: Queryable, projectId: string, contactId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'inbound-count',
    text: `SELECT count(*) AS count FROM events
            WHERE project_id = $1 AND name = 'email.received' AND contact_id = $2
              AND created_at > now() - interval '1 hour'`,
    values: [projectId, contactId],
  });
  return rows[0]?.count ?? 0;
}
