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

/** The campaign's emails `e` of a status. `stage` is indexed; it is null for sent emails, and for those in a chunk. */
const ofStatus = (status: EmailStatus): string =>
  status === 'SENT' || status === 'PENDING'
    ? `e.campaign_id = $1 AND e.status = '${status}'`
    : `e.campaign_id = $1 AND e.stage = '${status}'`;

/** Returns a page in the order of the snapshot. */
export async function selectRecipients(
  db: Queryable,
  { campaignId, status, after, limit }: RecipientPage,
): Promise<RecipientRow[]> {
  const { rows } = await db.query<RecipientRow>({
    name: `campaign-recipients-${status ?? 'all'}`,
    text: `SELECT ${COLUMNS} FROM emails e WHERE ${status ? ofStatus(status) : 'e.campaign_id = $1'} AND e.id > $2 ORDER BY e.id LIMIT $3`,
    values: [campaignId, after ?? '00000000-0000-0000-0000-000000000000', limit],
  });
  return rows;
}

/** Returns the number of recipients, all or those with a status. */
export async function countRecipients(
  db: Queryable,
  campaignId: string,
  status: EmailStatus | undefined,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM emails e WHERE ${status ? ofStatus(status) : 'e.campaign_id = $1'}`,
    [campaignId],
  );
  return rows[0]?.count ?? 0;
}
