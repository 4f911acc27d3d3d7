/** The recipients of a campaign: its emails by status. */
import type { Queryable } from '../../../db/pool.js';
import type { EmailStatus } from '../../../generated/prisma/enums.js';

export interface RecipientRow {
  emailId: string;
  contactId: string | null;
  email: string;
  status: EmailStatus;
  attempts: number;
  error: string | null;
  bounceType: string | null;
  bounceReason: string | null;
  opens: number;
  clicks: number;
  createdAt: Date;
  sentAt: Date | null;
  deliveredAt: Date | null;
  openedAt: Date | null;
  clickedAt: Date | null;
  bouncedAt: Date | null;
  complainedAt: Date | null;
}

export interface RecipientPage {
  campaignId: string;
  /** Undefined: all. */
  status?: EmailStatus;
  /** The page starts after the email with this id. */
  after?: string;
  limit: number;
}

const COLUMNS = `e.id AS "emailId", e.contact_id AS "contactId", e.to_email AS email, e.status, e.attempts, e.error, e.bounce_type AS "bounceType", e.bounce_reason AS "bounceReason", e.opens, e.clicks,
  e.created_at AS "createdAt", e.sent_at AS "sentAt", e.delivered_at AS "deliveredAt", e.opened_at AS "openedAt", e.clicked_at AS "clickedAt", e.bounced_at AS "bouncedAt", e.complained_at AS "complainedAt"`;

/** Repeats the predicate of the partial index that has the campaign's emails of a status. */
const inIndex = (status: EmailStatus): string =>
  `e.campaign_id = $1 AND e.status = '${status}'${status === 'PENDING' || status === 'SENDING' ? '' : ` AND e.status NOT IN ('PENDING', 'SENDING')`}`;

/**
 * Returns a page in the order of the snapshot. For all statuses, it merges a page per status, because no index has all
 * emails of a campaign in this order.
 */
export async function selectRecipients(
  db: Queryable,
  { campaignId, status, after, limit }: RecipientPage,
  statuses: readonly EmailStatus[],
): Promise<RecipientRow[]> {
  const parts = (status ? [status] : statuses).map(
    (one) => `(SELECT e.* FROM emails e WHERE ${inIndex(one)} AND e.id > $2 ORDER BY e.id LIMIT $3)`,
  );
  const { rows } = await db.query<RecipientRow>({
    name: `campaign-recipients-${status ?? 'all'}`,
    text: `SELECT ${COLUMNS} FROM (${parts.join(' UNION ALL ')}) AS e ORDER BY e.id LIMIT $3`,
    values: [campaignId, after ?? '00000000-0000-0000-0000-000000000000', limit],
  });
  return rows;
}

/** Returns the number of recipients with one of these statuses. */
export async function countRecipients(
  db: Queryable,
  campaignId: string,
  statuses: readonly EmailStatus[],
): Promise<number> {
  const parts = statuses.map((one) => `(SELECT count(*) FROM emails e WHERE ${inIndex(one)})`);
  const { rows } = await db.query<{ count: number }>(`SELECT ${parts.join(' + ')} AS count`, [campaignId]);
  return rows[0]?.count ?? 0;
}
