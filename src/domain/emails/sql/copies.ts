/** Copies of an email: a request with `cc` or `bcc` makes an email for each of their addresses. */
import type { Queryable } from '../../../db/pool.js';
import type { EmailToCompose } from '../compose.js';

/** What a message says about copies. */
export interface Copies {
  /** First the original, which goes to the recipient in `To`, and then the copies. */
  emailIds: string[];
  /** The header Cc. */
  cc: Array<{ email: string; name: string | null }>;
}

/** What differs between an original and its copies, apart from their envelopes. */
export type OriginalEmail = Pick<EmailToCompose, 'id' | 'contactId' | 'toEmail' | 'toName' | 'contactData'> & {
  /** Null without a contact. */
  contactSubscribed: boolean | null;
  /** Null before its first attempt. */
  tracked: boolean | null;
};

/** Returns null if the original was deleted. */
export async function findOriginal(db: Queryable, projectId: string, id: string): Promise<OriginalEmail | null> {
  const { rows } = await db.query<OriginalEmail>({
    name: 'email-original',
    text: `SELECT e.id, e.contact_id AS "contactId", e.to_email AS "toEmail", e.to_name AS "toName", e.tracked,
                  c.data AS "contactData", c.subscribed AS "contactSubscribed"
             FROM emails e LEFT JOIN contacts c ON c.id = e.contact_id
            WHERE e.project_id = $1 AND e.id = $2`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}
