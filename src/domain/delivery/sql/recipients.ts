/** Reads the emails of a chunk. */
import type { Queryable } from '../../../db/pool.js';
import { IS_TRACKED, type ClaimedEmail } from '../../emails/sql/delivery.js';
import type { ChunkBounds } from '../states.js';

/** An email of a campaign, with the contact's data for rendering. */
export type CampaignEmail = Pick<
  ClaimedEmail,
  'id' | 'contactId' | 'toEmail' | 'attempts' | 'date' | 'tracked' | 'contactData' | 'contactSubscribed' | 'suppressed'
> & {
  source: 'CAMPAIGN';
  toName: null;
  variables: null;
  /** Of a variant; null: that of the campaign. */
  messageId: string | null;
};

/**
 * The emails of a chunk by column: the driver parses one row with arrays instead of 1,000 rows, which takes 2 µs per email
 * instead of 5. All columns are null if there are no emails.
 */
interface EmailColumns {
  id: string[] | null;
  contactId: CampaignEmail['contactId'][] | null;
  toEmail: string[] | null;
  attempts: number[] | null;
  date: string[] | null;
  tracked: boolean[] | null;
  contactData: CampaignEmail['contactData'][] | null;
  contactSubscribed: CampaignEmail['contactSubscribed'][] | null;
  suppressed: CampaignEmail['suppressed'][] | null;
  messageId: CampaignEmail['messageId'][] | null;
}

// The bounds are parameters, and LIMIT 1 keeps the lookups of contacts apart: the planner has no statistics of a new
// campaign, and would read all contacts.
const READ = (where: string, messageId: string): string => `
SELECT json_agg(r.id) AS id, json_agg(r.contact_id) AS "contactId", json_agg(r.to_email) AS "toEmail",
       json_agg(r.attempts) AS attempts, json_agg(r.date) AS date, json_agg(r.tracked) AS tracked,
       json_agg(r.data) AS "contactData", json_agg(r.subscribed) AS "contactSubscribed",
       json_agg(r.suppressed) AS suppressed, json_agg(nullif(r.message_id, ${messageId})) AS "messageId"
  FROM (SELECT e.id, e.message_id, e.contact_id, e.to_email, e.attempts, coalesce(e.scheduled_for, e.created_at) AS date,
               coalesce(e.tracked, (SELECT ${IS_TRACKED('e.type')} FROM projects p WHERE p.id = e.project_id)) AS tracked,
               c.data, c.subscribed,
               (SELECT s.reason FROM suppressions s
                 WHERE s.project_id = e.project_id AND s.email = e.to_email) AS suppressed
          FROM emails e LEFT JOIN LATERAL (
            SELECT data, subscribed FROM contacts WHERE id = e.contact_id LIMIT 1) c ON true
         WHERE ${where} AND e.status = 'PENDING'
         ORDER BY e.id) r`;

/** Returns the emails of a chunk that have no recorded result, by id. @param messageId that of the campaign */
export async function readRecipients(
  db: Queryable,
  { firstId, lastId, members }: ChunkBounds,
  messageId: string,
): Promise<CampaignEmail[]> {
  const { rows } =
    members === null
      ? await db.query<EmailColumns>({
          name: 'recipients-of-range',
          text: READ('e.id BETWEEN $1 AND $2', '$3'),
          values: [firstId, lastId, messageId],
        })
      : await db.query<EmailColumns>({
          name: 'recipients-of-list',
          text: READ('e.id = ANY ($1::uuid[])', '$2'),
          values: [members, messageId],
        });
  return rows[0] ? toEmails(rows[0]) : [];
}

function toEmails(columns: EmailColumns): CampaignEmail[] {
  // The emails of a campaign are created in pages, and those of a wave are due together: they share their date.
  let [lastText, date] = ['', new Date(0)];
  return (columns.id ?? []).map((id, index): CampaignEmail => {
    const text = columns.date?.[index] ?? '';
    if (text !== lastText) [lastText, date] = [text, new Date(text)];
    return {
      id,
      source: 'CAMPAIGN',
      contactId: columns.contactId?.[index] ?? null,
      toEmail: columns.toEmail?.[index] ?? '',
      toName: null,
      variables: null,
      attempts: columns.attempts?.[index] ?? 0,
      date,
      tracked: columns.tracked?.[index] ?? false,
      contactData: columns.contactData?.[index] ?? null,
      contactSubscribed: columns.contactSubscribed?.[index] ?? null,
      suppressed: columns.suppressed?.[index] ?? null,
      messageId: columns.messageId?.[index] ?? null,
    };
  });
}

/** An email of a lost chunk. A CANCELLED one may have been sent before its contact was deleted. */
export interface UnsettledEmail {
  id: string;
  attempts: number;
  status: 'PENDING' | 'CANCELLED';
}

/** Returns a chunk's emails without a recorded result. */
export async function readUnsettled(
  db: Queryable,
  { firstId, lastId, members }: ChunkBounds,
): Promise<UnsettledEmail[]> {
  const { rows } =
    members === null
      ? await db.query<UnsettledEmail>(
          `SELECT id, attempts, status FROM emails WHERE id BETWEEN $1 AND $2 AND status IN ('PENDING', 'CANCELLED')`,
          [firstId, lastId],
        )
      : await db.query<UnsettledEmail>(
          `SELECT id, attempts, status FROM emails WHERE id = ANY ($1::uuid[]) AND status IN ('PENDING', 'CANCELLED')`,
          [members],
        );
  return rows;
}

/** Whether a worker has written a heartbeat in the last hour. */
export async function isWorkerAlive(db: Queryable, workerId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM worker_instances WHERE id = $1 AND heartbeat_at > now() - interval '1 hour'`,
    [workerId],
  );
  return rowCount === 1;
}
