/** The recipients of a campaign by what they did, by clicked link, and by address. */
import type { Queryable } from '../../../db/pool.js';
import { EmailStatus } from '../../../generated/prisma/enums.js';
import { FIRST_ID } from '../../../ids.js';
import { IN_PROJECT, type ProjectSize } from '../../conditions/sql/conditions.js';
import { LINK_ID } from './links.js';
import { COLUMNS, UNSENT_FROM, type RecipientRow } from './recipients.js';

/** What a recipient did, or what happened to the email. */
export const DEEDS = [
  'opened',
  'clicked',
  'not_opened',
  'not_clicked',
  'bounced',
  'complained',
  'failed',
  'unknown',
  'unsubscribed',
  'cancelled',
] as const;
export type Deed = (typeof DEEDS)[number];

export interface RecipientFilter {
  projectId: string;
  campaignId: string;
  status?: EmailStatus;
  did?: Deed;
  /** The target of a clicked link. */
  url?: string;
  search?: AddressSearch;
}

/** A search for a part of an address. */
export interface AddressSearch {
  /** A LIKE pattern in lower case. */
  pattern: string;
  /** The contacts with such an address; null if they are many. */
  contactIds: string[] | null;
}

interface DeedRule {
  /** A condition on the email `e`. */
  sql: string;
  /** The stages of such emails. `SENT` has none. */
  stages: readonly EmailStatus[];
}

const RULES: Record<Exclude<Deed, 'unsubscribed'>, DeedRule> = {
  opened: { sql: 'e.opened_at IS NOT NULL', stages: ['OPENED', 'CLICKED', 'BOUNCED', 'COMPLAINED'] },
  clicked: { sql: 'e.clicked_at IS NOT NULL', stages: ['CLICKED', 'BOUNCED', 'COMPLAINED'] },
  not_opened: {
    sql: 'e.sent_at IS NOT NULL AND e.opened_at IS NULL',
    stages: ['SENT', 'DELIVERED', 'CLICKED', 'BOUNCED', 'COMPLAINED'],
  },
  not_clicked: {
    sql: 'e.sent_at IS NOT NULL AND e.clicked_at IS NULL',
    stages: ['SENT', 'DELIVERED', 'OPENED', 'BOUNCED', 'COMPLAINED'],
  },
  bounced: { sql: 'e.bounced_at IS NOT NULL', stages: ['BOUNCED', 'COMPLAINED'] },
  complained: { sql: 'e.complained_at IS NOT NULL', stages: ['COMPLAINED'] },
  failed: { sql: 'NOT e.ambiguous', stages: ['FAILED'] },
  unknown: { sql: 'e.ambiguous', stages: ['FAILED'] },
  cancelled: { sql: 'true', stages: ['CANCELLED'] },
};

const ALL_STATUSES = Object.values(EmailStatus);

/** Collects parameters. The first three are the campaign, the position, and the limit. */
class Statement {
  readonly values: unknown[];

  constructor({ campaignId }: RecipientFilter, after: string, limit: number) {
    this.values = [campaignId, after, limit];
  }

  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

const CLICKED_LINKS = (url: string): string => `(
  SELECT k.link_id AS id FROM campaign_links k WHERE k.campaign_id = $1 AND k.url = ${url}
  UNION
  SELECT ${LINK_ID('d')} FROM link_deltas d WHERE d.campaign_id = $1 AND d.url = ${url}
  UNION
  -- The links of a campaign with very many are not stored individually.
  SELECT md5(E'\\n' || ${url})::uuid)`;

/** The conditions on the email `e`, except that of the driver. */
function conditionsOf(statement: Statement, filter: RecipientFilter, driver: 'url' | 'unsubscribed' | null): string {
  const { status, did, url, search } = filter;
  const conditions = ['true'];
  if (status) conditions.push(`e.status = '${status}'`);
  if (did === 'unsubscribed') {
    if (driver !== 'unsubscribed') conditions.push('EXISTS (SELECT FROM email_unsubscribes u WHERE u.email_id = e.id)');
  } else if (did) conditions.push(RULES[did].sql);
  if (url !== undefined && driver !== 'url')
    conditions.push(
      `EXISTS (SELECT FROM campaign_clicks k WHERE k.campaign_id = $1 AND k.email_id = e.id AND k.link_id = ANY (ARRAY${CLICKED_LINKS(statement.add(url))}))`,
    );
  if (search) conditions.push(`e.to_email LIKE ${statement.add(search.pattern)}`);
  return conditions.join(' AND ');
}

/** Returns a query for a page of emails, ordered by id. Each part stops at the limit. */
function pageQuery(filter: RecipientFilter, after: string, limit: number): { text: string; values: unknown[] } {
  const statement = new Statement(filter, after, limit);
  const text = pageText(statement, filter);
  return { text, values: statement.values };
}

function pageText(statement: Statement, filter: RecipientFilter): string {
  const { did, url, search } = filter;
  if (search?.contactIds) {
    // OFFSET 0 makes the planner read the emails of each contact, and not those of the campaign.
    return `
SELECT e.*
  FROM (SELECT e.*
          FROM unnest(${statement.add(search.contactIds)}::uuid[]) AS c(id)
         CROSS JOIN LATERAL (SELECT * FROM emails WHERE contact_id = c.id OFFSET 0) e
        UNION ALL
        -- Emails of deleted contacts.
        SELECT * FROM emails
         WHERE project_id = ${statement.add(filter.projectId)} AND contact_id IS NULL AND to_email LIKE ${statement.add(search.pattern)}) e
 WHERE e.campaign_id = $1 AND e.id > $2 AND ${conditionsOf(statement, filter, null)}
 ORDER BY e.id LIMIT $3`;
  }
  if (url !== undefined) {
    const links = CLICKED_LINKS(statement.add(url));
    return `
SELECT DISTINCT ON (e.id) e.*
  FROM ${links} l
 CROSS JOIN LATERAL (
   SELECT e.* FROM campaign_clicks k CROSS JOIN LATERAL (SELECT * FROM emails WHERE id = k.email_id LIMIT 1) e
    WHERE k.campaign_id = $1 AND k.link_id = l.id AND k.email_id > $2 AND ${conditionsOf(statement, filter, 'url')}
    ORDER BY k.email_id LIMIT $3) e
 ORDER BY e.id LIMIT $3`;
  }
  if (did === 'unsubscribed')
    return `
SELECT e.*
  FROM email_unsubscribes u CROSS JOIN LATERAL (SELECT * FROM emails WHERE id = u.email_id LIMIT 1) e
 WHERE u.campaign_id = $1 AND u.email_id > $2 AND ${conditionsOf(statement, filter, 'unsubscribed')}
 ORDER BY u.email_id LIMIT $3`;
  const conditions = conditionsOf(statement, filter, null);
  const statuses = filter.status ? [filter.status] : did ? RULES[did].stages : ALL_STATUSES;
  const parts = statuses.filter((status) => status !== 'SENT').map((stage) => stagePage(stage, conditions));
  if (statuses.includes('SENT') || statuses.includes('PENDING')) parts.unshift(unstagedPage(statuses, conditions));
  return `
WITH unsent_from AS MATERIALIZED (${UNSENT_FROM})
SELECT e.* FROM (${parts.join(`
  UNION ALL `)}) AS e
 ORDER BY e.id LIMIT $3`;
}

const stagePage = (stage: EmailStatus, conditions: string): string =>
  // An equality would be a constant, and PostgreSQL could then read all emails by id instead.
  `(SELECT e.* FROM emails e WHERE e.campaign_id = $1 AND e.stage BETWEEN '${stage}' AND '${stage}' AND e.id > $2 AND ${conditions} ORDER BY e.stage, e.id LIMIT $3)`;

/** Sent emails, and those that wait in chunks and retries. Without waiting ones, the page ends where they begin. */
const unstagedPage = (statuses: readonly EmailStatus[], conditions: string): string =>
  `(SELECT e.* FROM emails e WHERE e.campaign_id = $1 AND e.stage IS NULL AND e.id > $2${
    statuses.includes('PENDING') ? '' : ' AND e.id < (SELECT id FROM unsent_from)'
  } AND ${conditions} ORDER BY e.stage, e.id LIMIT $3)`;

/** Returns a page in the order of the snapshot. */
export async function selectFilteredRecipients(
  db: Queryable,
  filter: RecipientFilter,
  { after = FIRST_ID, limit }: { after?: string; limit: number },
): Promise<RecipientRow[]> {
  const { text, values } = pageQuery(filter, after, limit);
  const { rows } = await db.query<RecipientRow>(`SELECT ${COLUMNS} FROM (${text}) e ORDER BY e.id`, values);
  return rows;
}

/** Counts at most `limit` recipients. */
export async function countFilteredRecipients(db: Queryable, filter: RecipientFilter, limit: number): Promise<number> {
  const { text, values } = pageQuery(filter, FIRST_ID, limit);
  const { rows } = await db.query<{ count: number }>(`SELECT count(*) AS count FROM (${text}) e`, values);
  return rows[0]?.count ?? 0;
}

/** Returns the ids of the contacts whose address matches a LIKE pattern; null if there are more than `limit`. */
export async function findContactsLike(
  db: Queryable,
  { projectId, size }: { projectId: string; size: ProjectSize },
  pattern: string,
  limit: number,
): Promise<string[] | null> {
  const { rows } = await db.query<{ id: string }>({
    name: `recipients-contacts-like-${size}`,
    // The first LIMIT ends the search before duplicates are removed.
    text: `(SELECT c.id FROM contacts c WHERE ${IN_PROJECT[size]} AND c.email LIKE $2 LIMIT $3)
           UNION
           SELECT contact_id FROM former_addresses WHERE project_id = $1 AND email LIKE $2 LIMIT $3`,
    values: [projectId, pattern, limit + 1],
  });
  return rows.length > limit ? null : rows.map(({ id }) => id);
}
