/** SQL of the suppressed addresses of a project. */
import type { Queryable } from '../../db/pool.js';
import type { ContactClause } from '../conditions/sql/conditions.js';

/** The reasons for a suppression, the strongest first. */
export const SUPPRESSION_REASONS = ['complaint', 'bounce', 'manual'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

export interface SuppressionRow {
  email: string;
  reason: SuppressionReason;
  /** The text of the mail server, the provider, or the user. */
  detail: string | null;
  /** The email that bounced or was complained about. */
  emailId: string | null;
  createdAt: Date;
}

const COLUMNS = `email, reason, detail, email_id AS "emailId", created_at AS "createdAt"`;

/** Restricts a clause to contacts whose address is not suppressed. */
export const unsuppressed = ({ sql, values }: ContactClause): ContactClause => ({
  sql: `${sql} AND NOT EXISTS (SELECT FROM suppressions s WHERE s.project_id = $1 AND s.email = c.email)`,
  values,
});

export interface SuppressionFilter {
  projectId: string;
  reason?: SuppressionReason;
  /** A LIKE pattern in lower case. */
  emailPattern?: string;
}

export interface SuppressionPage extends SuppressionFilter {
  /** The page starts after this position (newest first). */
  after?: { createdAt: string; email: string };
  limit: number;
}

function conditions({ projectId, reason, emailPattern }: SuppressionFilter): { clauses: string[]; values: unknown[] } {
  const clauses = ['project_id = $1'];
  const values: unknown[] = [projectId];
  if (reason !== undefined) clauses.push(`reason = $${values.push(reason)}`);
  if (emailPattern !== undefined) clauses.push(`email LIKE $${values.push(emailPattern)}`);
  return { clauses, values };
}

/** Returns up to `limit` suppressions, newest first. */
export async function selectSuppressions(
  db: Queryable,
  { after, limit, ...filter }: SuppressionPage,
): Promise<SuppressionRow[]> {
  const { clauses, values } = conditions(filter);
  if (after)
    clauses.push(
      `(created_at, email) < ($${values.push(after.createdAt)}::timestamptz, $${values.push(after.email)}::text)`,
    );
  const { rows } = await db.query<SuppressionRow>(
    `SELECT ${COLUMNS} FROM suppressions WHERE ${clauses.join(' AND ')}
      ORDER BY created_at DESC, email DESC LIMIT $${values.push(limit)}`,
    values,
  );
  return rows;
}

export async function countSuppressions(db: Queryable, filter: SuppressionFilter): Promise<number> {
  const { clauses, values } = conditions(filter);
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM suppressions WHERE ${clauses.join(' AND ')}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

export async function findSuppression(db: Queryable, projectId: string, email: string): Promise<SuppressionRow | null> {
  const { rows } = await db.query<SuppressionRow>({
    name: 'suppression-find',
    text: `SELECT ${COLUMNS} FROM suppressions WHERE project_id = $1 AND email = $2`,
    values: [projectId, email],
  });
  return rows[0] ?? null;
}

export interface NewSuppression {
  projectId: string;
  email: string;
  reason: SuppressionReason;
  detail: string | null;
}

const STRONGER = `array_position($5::text[], excluded.reason) < array_position($5::text[], known.reason)`;
const stronger = (column: string): string => `CASE WHEN ${STRONGER} THEN excluded.${column} ELSE known.${column} END`;

/** Suppresses an address, unless it already is for an equal or stronger reason. */
export async function upsertSuppression(
  db: Queryable,
  { projectId, email, reason, detail }: NewSuppression,
): Promise<SuppressionRow & { isNew: boolean }> {
  const { rows } = await db.query<SuppressionRow & { isNew: boolean }>({
    name: 'suppression-upsert',
    text: `INSERT INTO suppressions AS known (project_id, email, reason, detail) VALUES ($1, $2, $3, $4)
           ON CONFLICT (project_id, email) DO UPDATE
             SET reason = ${stronger('reason')}, detail = ${stronger('detail')},
                 email_id = ${stronger('email_id')}, created_at = ${stronger('created_at')}
           RETURNING ${COLUMNS}, xmax = 0 AS "isNew"`,
    values: [projectId, email, reason, detail, SUPPRESSION_REASONS],
  });
  const [row] = rows;
  if (!row) throw new Error('An upsert returned no row');
  return row;
}

/**
 * Suppresses the address of a reader who is not a contact and unsubscribed by an email. An existing suppression stays,
 * because `manual` is the weakest reason.
 *
 * @returns whether the suppression is new; false if the project was deleted
 */
export async function suppressReader(
  tx: Queryable,
  { projectId, email, emailId }: { projectId: string; email: string; emailId: string },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'suppression-of-reader',
    text: `INSERT INTO suppressions (project_id, email, reason, detail, email_id)
           SELECT id, $2, 'manual', 'The reader unsubscribed by an email.', $3 FROM projects WHERE id = $1
           ON CONFLICT (project_id, email) DO NOTHING`,
    values: [projectId, email, emailId],
  });
  return rowCount === 1;
}

/** Lifts a suppression. @returns whether it existed */
export async function deleteSuppression(db: Queryable, projectId: string, email: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'suppression-delete',
    text: `DELETE FROM suppressions WHERE project_id = $1 AND email = $2`,
    values: [projectId, email],
  });
  return rowCount === 1;
}

/**
 * Lifts a bounce or a complaint of a contact's address, because its reader used a link in an email to this address.
 * Manual suppressions stay.
 */
export async function deleteSuppressionOfReader(tx: Queryable, contactId: string, emailId: string): Promise<void> {
  await tx.query({
    name: 'suppression-delete-by-reader',
    text: `DELETE FROM suppressions s USING contacts c, emails e
            WHERE c.id = $1 AND e.id = $2 AND e.project_id = c.project_id AND e.to_email = c.email
              AND s.project_id = c.project_id AND s.email = c.email AND s.reason <> 'manual'`,
    values: [contactId, emailId],
  });
}
