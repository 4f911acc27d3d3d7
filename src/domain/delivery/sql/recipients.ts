/** Reads the emails of a chunk. */
import type { Queryable } from '../../../db/pool.js';
import { IS_TRACKED, type ClaimedEmail } from '../../emails/sql/delivery.js';
import type { ChunkBounds } from '../states.js';

/** An email of a campaign, with the contact's data for rendering. */
export type CampaignEmail = Pick<
  ClaimedEmail,
  | 'id'
  | 'contactId'
  | 'toEmail'
  | 'toName'
  | 'variables'
  | 'attempts'
  | 'createdAt'
  | 'tracked'
  | 'contactData'
  | 'contactSubscribed'
  | 'suppressed'
>;

// The bounds are parameters, and LIMIT 1 keeps the lookups of contacts apart: the planner has no statistics of a new
// campaign, and would read all contacts.
const READ = (where: string): string => `
SELECT e.id, e.contact_id AS "contactId", e.to_email AS "toEmail", e.to_name AS "toName", e.variables, e.attempts,
       e.created_at AS "createdAt",
       coalesce(e.tracked, (SELECT ${IS_TRACKED('e.type')} FROM projects p WHERE p.id = e.project_id)) AS tracked,
       c.data AS "contactData", c.subscribed AS "contactSubscribed",
       (SELECT s.reason FROM suppressions s WHERE s.project_id = e.project_id AND s.email = e.to_email) AS suppressed
  FROM emails e LEFT JOIN LATERAL (SELECT data, subscribed FROM contacts WHERE id = e.contact_id LIMIT 1) c ON true
 WHERE ${where} AND e.status = 'PENDING'
 ORDER BY e.id`;

/** Returns the emails of a chunk that have no recorded result, by id. */
export async function readRecipients(
  db: Queryable,
  { firstId, lastId, members }: ChunkBounds,
): Promise<CampaignEmail[]> {
  const { rows } =
    members === null
      ? await db.query<CampaignEmail>({
          name: 'recipients-of-range',
          text: READ('e.id BETWEEN $1 AND $2'),
          values: [firstId, lastId],
        })
      : await db.query<CampaignEmail>({
          name: 'recipients-of-list',
          text: READ('e.id = ANY ($1::uuid[])'),
          values: [members],
        });
  return rows;
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
