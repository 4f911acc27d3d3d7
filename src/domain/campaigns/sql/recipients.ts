/** The recipients of a campaign: its emails by status. */
import type { Queryable } from '../../../db/pool.js';
import { EmailStatus } from '../../../generated/prisma/enums.js';
import { FIRST_ID } from '../../../ids.js';

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

/** The columns of a RecipientRow, of the email `e`. */
export const COLUMNS = `e.id AS "emailId", e.contact_id AS "contactId", e.to_email AS email, e.status, e.attempts, e.error, e.bounce_type AS "bounceType", e.bounce_reason AS "bounceReason", e.opens, e.clicks,
  e.created_at AS "createdAt", e.sent_at AS "sentAt", e.delivered_at AS "deliveredAt", e.opened_at AS "openedAt", e.clicked_at AS "clickedAt", e.bounced_at AS "bouncedAt", e.complained_at AS "complainedAt"`;

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Statuses of emails with a stage. The stage of a sent email, and of one that waits for its chunk or retry, is null. */
const STAGES = Object.values(EmailStatus).filter((status) => status !== 'SENT');

// `stage` is part of the order, because the planner does not treat IS NULL as a constant.
const NO_STAGE = `e.campaign_id = $1 AND e.stage IS NULL`;
const NO_STAGE_PAGE = `AND e.id > $2 ORDER BY e.stage, e.id LIMIT $3`;
const stagePage = (stage: EmailStatus): string =>
  `(SELECT e.* FROM emails e WHERE e.campaign_id = $1 AND e.stage = '${stage}' AND e.id > $2 ORDER BY e.id LIMIT $3)`;

/**
 * The id from which on all emails without a stage are PENDING: the first chunk of those without a recorded result that
 * follow all chunks with one.
 */
export const UNSENT_FROM = `
  SELECT coalesce((
           SELECT k.first_id FROM campaign_chunks k
            WHERE k.campaign_id = $1 AND k.closed_at IS NULL AND k.settled = 0
              AND k.first_id > coalesce((
                    SELECT s.last_id FROM campaign_chunks s
                     WHERE s.campaign_id = $1 AND s.last_id IS NOT NULL AND (s.closed_at IS NOT NULL OR s.settled > 0)
                     ORDER BY s.last_id DESC LIMIT 1), '${FIRST_ID}')
            ORDER BY k.first_id LIMIT 1), '${LAST_ID}') AS id`;

const WAITS = `${NO_STAGE} AND e.status = 'PENDING' AND e.id < (SELECT id FROM unsent_from)`;

/**
 * The ids of the other PENDING emails without a stage: in open chunks and in retries. `page` limits each part. LIMIT and
 * OFFSET keep the lookups apart, so that the planner cannot read all emails in their order.
 */
const waitingIds = (page: (id: string) => string): string => `
  (SELECT e.id
     FROM campaign_chunks k CROSS JOIN LATERAL (
            SELECT e.id FROM emails e WHERE e.id BETWEEN k.first_id AND k.last_id AND ${WAITS} ${page('e.id')} OFFSET 0) e
    WHERE k.campaign_id = $1 AND k.closed_at IS NULL AND k.first_id < (SELECT id FROM unsent_from))
  UNION
  (SELECT e.id
     FROM campaign_chunks k CROSS JOIN unnest(k.members) AS m(id)
    CROSS JOIN LATERAL (SELECT e.id FROM emails e WHERE e.id = m.id AND ${WAITS} LIMIT 1) e
    WHERE k.campaign_id = $1 AND k.closed_at IS NULL ${page('m.id')})
  UNION
  (SELECT e.id
     FROM campaign_retries r
    CROSS JOIN LATERAL (SELECT e.id FROM emails e WHERE e.id = r.email_id AND ${WAITS} LIMIT 1) e
    WHERE r.campaign_id = $1 ${page('r.email_id')})`;

const PAGE_OF_ALL = `
SELECT ${COLUMNS}
  FROM ((SELECT e.* FROM emails e WHERE ${NO_STAGE} ${NO_STAGE_PAGE})
        UNION ALL ${STAGES.map(stagePage).join(`
        UNION ALL `)}) AS e
 ORDER BY e.id LIMIT $3`;

const PAGE_OF_SENT = `
WITH unsent_from AS (${UNSENT_FROM})
SELECT ${COLUMNS}
  FROM emails e WHERE ${NO_STAGE} AND e.status = 'SENT' AND e.id < (SELECT id FROM unsent_from) ${NO_STAGE_PAGE}`;

const PAGE_OF_PENDING = `
WITH unsent_from AS (${UNSENT_FROM})
SELECT ${COLUMNS}
  FROM (${stagePage('PENDING')}
        UNION ALL
        (SELECT e.* FROM emails e WHERE ${NO_STAGE} AND e.id >= (SELECT id FROM unsent_from) ${NO_STAGE_PAGE})
        UNION ALL
        (SELECT e.* FROM (${waitingIds((id) => `AND ${id} > $2 ORDER BY ${id} LIMIT $3`)}) w
          CROSS JOIN LATERAL (SELECT * FROM emails WHERE id = w.id LIMIT 1) e)) AS e
 ORDER BY e.id LIMIT $3`;

function pageOf(status: EmailStatus | undefined): string {
  if (status === undefined) return PAGE_OF_ALL;
  if (status === 'SENT') return PAGE_OF_SENT;
  if (status === 'PENDING') return PAGE_OF_PENDING;
  return `SELECT ${COLUMNS} FROM ${stagePage(status)} AS e ORDER BY e.id`;
}

/** Returns a page in the order of the snapshot. */
export async function selectRecipients(
  db: Queryable,
  { campaignId, status, after, limit }: RecipientPage,
): Promise<RecipientRow[]> {
  const { rows } = await db.query<RecipientRow>({
    name: `campaign-recipients-${status ?? 'all'}`,
    text: pageOf(status),
    values: [campaignId, after ?? FIRST_ID, limit],
  });
  return rows;
}

// Both counts read only the index, except for the few emails of `waiting`.
const COUNT_OF_SENT = `
WITH unsent_from AS (${UNSENT_FROM}), waiting AS (${waitingIds(() => '')})
SELECT count_unstaged($1, '${FIRST_ID}', (SELECT id FROM unsent_from))
       - (SELECT count(*) FROM waiting) AS count`;

const COUNT_OF_PENDING = `
WITH unsent_from AS (${UNSENT_FROM}), waiting AS (${waitingIds(() => '')})
SELECT (SELECT count(*) FROM emails e WHERE e.campaign_id = $1 AND e.stage = 'PENDING')
       + count_unstaged($1, (SELECT id FROM unsent_from), '${LAST_ID}')
       + (SELECT count(*) FROM waiting) AS count`;

function countOf(status: EmailStatus | undefined): string {
  if (status === undefined) return `SELECT count(*) AS count FROM emails e WHERE e.campaign_id = $1`;
  if (status === 'SENT') return COUNT_OF_SENT;
  if (status === 'PENDING') return COUNT_OF_PENDING;
  return `SELECT count(*) AS count FROM emails e WHERE e.campaign_id = $1 AND e.stage = '${status}'`;
}

/** Returns the number of recipients, all or those with a status. */
export async function countRecipients(
  db: Queryable,
  campaignId: string,
  status: EmailStatus | undefined,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: `campaign-recipient-count-${status ?? 'all'}`,
    text: countOf(status),
    values: [campaignId],
  });
  return rows[0]?.count ?? 0;
}
