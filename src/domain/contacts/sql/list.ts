/** Listing contacts: one keyset page, and the total. */
import type { Queryable } from '../../../db/pool.js';
import { CONTACT_COLUMNS, type ContactRow } from './rows.js';

export interface ContactFilter {
  projectId: string;
  /** A LIKE pattern in lower case. */
  emailPattern?: string;
  subscribed?: boolean;
  snoozed?: true;
}

export interface ContactPage extends ContactFilter {
  sort: 'createdAt' | 'email';
  dir: 'asc' | 'desc';
  /** The page starts after this position. */
  after?: { value: string; id: string };
  limit: number;
}

const SORTS = {
  createdAt: { column: 'created_at', type: 'timestamptz' },
  email: { column: 'email', type: 'text' },
} as const;

function conditions({ projectId, emailPattern, subscribed, snoozed }: ContactFilter): {
  clauses: string[];
  values: unknown[];
} {
  const clauses = ['project_id = $1'];
  const values: unknown[] = [projectId];
  if (emailPattern !== undefined) clauses.push(`email LIKE $${values.push(emailPattern)}`);
  if (subscribed !== undefined) clauses.push(`subscribed = $${values.push(subscribed)}`);
  if (snoozed) clauses.push('snoozed_until IS NOT NULL');
  return { clauses, values };
}

/**
 * Returns up to `limit` contacts, ordered by (sort, id). The order is unique, so pages neither repeat nor omit a row.
 */
export async function selectContacts(
  db: Queryable,
  { sort, dir, after, limit, ...filter }: ContactPage,
): Promise<ContactRow[]> {
  const { clauses, values } = conditions(filter);
  const { column, type } = SORTS[sort];
  const direction = dir === 'asc' ? 'ASC' : 'DESC';
  if (after)
    clauses.push(
      `(${column}, id) ${dir === 'asc' ? '>' : '<'} ($${values.push(after.value)}::${type}, $${values.push(after.id)}::uuid)`,
    );
  const { rows } = await db.query<ContactRow>(
    `SELECT ${CONTACT_COLUMNS} FROM contacts WHERE ${clauses.join(' AND ')}
      ORDER BY ${column} ${direction}, id ${direction} LIMIT $${values.push(limit)}`,
    values,
  );
  return rows;
}

export async function countContacts(db: Queryable, filter: ContactFilter): Promise<number> {
  if (filter.subscribed === true && filter.emailPattern === undefined && !filter.snoozed)
    return countSubscribed(db, filter.projectId);
  const { clauses, values } = conditions(filter);
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM contacts WHERE ${clauses.join(' AND ')}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

/** Counts all contacts and the unsubscribed ones: both counts read only an index. */
async function countSubscribed(db: Queryable, projectId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM contacts WHERE project_id = $1)
            - (SELECT count(*) FROM contacts WHERE project_id = $1 AND NOT subscribed) AS count`,
    [projectId],
  );
  return rows[0]?.count ?? 0;
}
