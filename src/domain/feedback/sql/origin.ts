/** Which email it is that somebody outside speaks of. */
import type { Queryable } from '../../../db/pool.js';

export interface EmailOrigin {
  id: string;
  projectId: string;
  /** The sender in its From header. */
  from: string;
}

const ORIGIN = `SELECT e.id, e.project_id AS "projectId", m.from_email AS "from" FROM emails e JOIN messages m ON m.project_id = e.project_id AND m.id = e.message_id`;

/** The email of an id; null when there is none (any more). */
export async function findOrigin(db: Queryable, emailId: string): Promise<EmailOrigin | null> {
  const { rows } = await db.query<EmailOrigin>({
    name: 'feedback-origin',
    text: `${ORIGIN} WHERE e.id = $1`,
    values: [emailId],
  });
  return rows[0] ?? null;
}

/** As the index emails_server_id_idx has it. */
const SERVER_ID = `substring(e.response FROM '^250 (?:2[.]0[.]0 )?[Oo][Kk] ([^ ]+)$')`;

/** The email that a mail server accepted as `250 Ok <id>`. */
export async function findByServerId(db: Queryable, serverId: string): Promise<EmailOrigin | null> {
  const { rows } = await db.query<EmailOrigin>({
    name: 'feedback-server-id',
    text: `${ORIGIN} WHERE ${SERVER_ID} = $1 ORDER BY e.id LIMIT 1`,
    values: [serverId],
  });
  return rows[0] ?? null;
}
