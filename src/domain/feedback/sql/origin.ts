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

/** The id in a reply `250 Ok <id>` of the row `r`; null for any other reply. */
const SERVER_ID = `substring(r.response FROM '^250 (?:2[.]0[.]0 )?[Oo][Kk] ([^ ]+)$')`;

/**
 * Returns a data-modifying statement for a WITH clause. It stores the ids that mail servers gave to the emails of
 * `results`, a relation with id and response.
 */
export const storeServerIds = (results: string): string => `
  INSERT INTO email_server_ids (email_id, server_id)
  SELECT r.id, ${SERVER_ID} FROM ${results} r WHERE ${SERVER_ID} IS NOT NULL
  ON CONFLICT DO NOTHING`;

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
