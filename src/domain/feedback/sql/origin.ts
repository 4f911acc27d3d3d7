/** Finds emails by the ids in reports from outside. */
import type { Queryable } from '../../../db/pool.js';

export interface EmailOrigin {
  id: string;
  projectId: string;
  /** The sender in its From header. */
  from: string;
}

const SELECT_ORIGIN = `
  SELECT e.id, e.project_id AS "projectId", m.from_email AS "from"
    FROM emails e JOIN messages m ON m.project_id = e.project_id AND m.id = e.message_id`;

/** Returns the email with an id; null if it does not exist. */
export async function findOrigin(db: Queryable, emailId: string): Promise<EmailOrigin | null> {
  const { rows } = await db.query<EmailOrigin>({
    name: 'feedback-origin',
    text: `${SELECT_ORIGIN} WHERE e.id = $1`,
    values: [emailId],
  });
  return rows[0] ?? null;
}

const SERVER_ID = /^250 (?:2\.0\.0 )?ok ([^ ]+)$/i;

/** Returns the id in a reply `250 Ok <id>`, as Amazon SES sends it; null for any other reply. PostgreSQL would take ten times as long. */
export const serverIdOf = (response: string | null): string | null => SERVER_ID.exec(response ?? '')?.[1] ?? null;

/**
 * Returns a data-modifying statement for a WITH clause. It stores the ids that mail servers gave to emails.
 *
 * @param ids a query with email_id and server_id
 */
export const storeServerIds = (ids: string): string => `
  INSERT INTO email_server_ids (email_id, server_id) ${ids} ON CONFLICT DO NOTHING`;

/** Returns the email that a mail server accepted with the reply `250 Ok <id>`. */
export async function findByServerId(db: Queryable, serverId: string): Promise<EmailOrigin | null> {
  const { rows } = await db.query<EmailOrigin>({
    name: 'feedback-server-id',
    text: `${SELECT_ORIGIN} WHERE e.id IN (SELECT s.email_id FROM email_server_ids s WHERE s.server_id = $1)
           ORDER BY e.id LIMIT 1`,
    values: [serverId],
  });
  return rows[0] ?? null;
}
