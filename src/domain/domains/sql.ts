/**
 * SQL of sender domains: the statements that share a transaction with intents, and those of the worker, which loads no
 * query compiler of Prisma (src/db/prisma.ts).
 */
import type { Queryable } from '../../db/pool.js';

export interface DomainRow {
  id: string;
  projectId: string;
  domain: string;
  status: 'PENDING' | 'VERIFIED' | 'FAILED';
  /** [{ type, name, value, purpose, required, status }] */
  records: unknown;
  lastCheckedAt: Date | null;
  verifiedAt: Date | null;
  failingSince: Date | null;
  createdAt: Date;
}

const COLUMNS = `id, project_id AS "projectId", domain, status, records, last_checked_at AS "lastCheckedAt",
                 verified_at AS "verifiedAt",
                 failing_since AS "failingSince", created_at AS "createdAt"`;

/** Returns those of the given domains, in lower case, that are verified for the project. */
export async function selectVerifiedDomains(
  db: Queryable,
  projectId: string,
  domains: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ domain: string }>({
    name: 'domains-verified',
    text: `SELECT domain FROM domains WHERE project_id = $1 AND domain = ANY ($2) AND status = 'VERIFIED'`,
    values: [projectId, domains],
  });
  return rows.map(({ domain }) => domain);
}

/** Returns the records of those of the given domains, in lower case, that the project has. */
export async function selectCheckedRecords(
  db: Queryable,
  projectId: string,
  domains: readonly string[],
): Promise<Array<Pick<DomainRow, 'domain' | 'records' | 'lastCheckedAt'>>> {
  const { rows } = await db.query<Pick<DomainRow, 'domain' | 'records' | 'lastCheckedAt'>>({
    name: 'domains-records',
    text: `SELECT domain, records, last_checked_at AS "lastCheckedAt"
             FROM domains WHERE project_id = $1 AND domain = ANY ($2)`,
    values: [projectId, domains],
  });
  return rows;
}

/** Returns a domain. */
export async function selectDomain(db: Queryable, id: string): Promise<DomainRow | null> {
  const { rows } = await db.query<DomainRow>({
    name: 'domains-show',
    text: `SELECT ${COLUMNS} FROM domains WHERE id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** Returns the DKIM key of a project's domain, in lower case, as it is stored. */
export async function selectDkimKey(
  db: Queryable,
  projectId: string,
  domain: string,
): Promise<Pick<NewDomain, 'dkimSelector' | 'dkimPrivateKey'> | null> {
  const { rows } = await db.query<Pick<NewDomain, 'dkimSelector' | 'dkimPrivateKey'>>({
    name: 'domains-dkim',
    text: `SELECT dkim_selector AS "dkimSelector", dkim_private_key AS "dkimPrivateKey"
             FROM domains WHERE project_id = $1 AND domain = $2`,
    values: [projectId, domain],
  });
  return rows[0] ?? null;
}

/** Returns where a domain exists: in the project itself (`own`), or verified in another one (`other`). */
export async function findConflictingDomain(
  db: Queryable,
  projectId: string,
  domain: string,
): Promise<'own' | 'other' | null> {
  const { rows } = await db.query<{ own: boolean }>({
    name: 'domains-rival',
    text: `SELECT project_id = $1 AS own FROM domains
            WHERE domain = $2 AND (project_id = $1 OR status = 'VERIFIED') ORDER BY own DESC LIMIT 1`,
    values: [projectId, domain],
  });
  const [conflict] = rows;
  if (!conflict) return null;
  return conflict.own ? 'own' : 'other';
}

export interface NewDomain {
  id: string;
  projectId: string;
  domain: string;
  dkimSelector: string;
  /** Encrypted. */
  dkimPrivateKey: string;
  records: unknown;
}

/** Adds a pending domain. A duplicate within the project violates a unique index (23505). */
export async function insertDomain(
  tx: Queryable,
  { id, projectId, domain, dkimSelector, dkimPrivateKey, records }: NewDomain,
): Promise<DomainRow> {
  const { rows } = await tx.query<DomainRow>({
    name: 'domains-insert',
    text: `INSERT INTO domains (id, project_id, domain, dkim_selector, dkim_private_key, records)
           VALUES ($1, $2, $3, $4, $5, $6::jsonb) RETURNING ${COLUMNS}`,
    values: [id, projectId, domain, dkimSelector, dkimPrivateKey, JSON.stringify(records)],
  });
  const [row] = rows;
  if (!row) throw new Error('INSERT … RETURNING returned no row');
  return row;
}

/** Locks a domain until the transaction ends, which serializes its checks. */
export async function lockDomain(tx: Queryable, id: string): Promise<DomainRow | null> {
  const { rows } = await tx.query<DomainRow>({
    name: 'domains-lock',
    text: `SELECT ${COLUMNS} FROM domains WHERE id = $1 FOR UPDATE`,
    values: [id],
  });
  return rows[0] ?? null;
}

export interface CheckedDomain {
  id: string;
  records: unknown;
  status: DomainRow['status'];
  verifiedAt: Date | null;
  failingSince: Date | null;
  checkedAt: Date;
}

/** Saves the result of a check. Violates `domains_verified_key` (23505) if another project has verified the domain. */
export async function saveCheck(
  tx: Queryable,
  { id, records, status, verifiedAt, failingSince, checkedAt }: CheckedDomain,
): Promise<DomainRow | null> {
  const { rows } = await tx.query<DomainRow>({
    name: 'domains-save-check',
    text: `UPDATE domains SET records = $2::jsonb, status = $3::domain_status, verified_at = $4, failing_since = $5,
                  last_checked_at = GREATEST(last_checked_at, $6), updated_at = now()
            WHERE id = $1 RETURNING ${COLUMNS}`,
    values: [id, JSON.stringify(records), status, verifiedAt, failingSince, checkedAt],
  });
  return rows[0] ?? null;
}

export interface Named {
  id: string;
  name: string;
}

export interface DomainUses {
  templates: Named[];
  workflowSteps: Array<Named & { workflowId: string }>;
  campaigns: Named[];
}

/** Returns the templates, steps, and campaigns that send from a domain: the first 20 of each kind. */
export async function findUses(tx: Queryable, projectId: string, domain: string): Promise<DomainUses> {
  const { rows } = await tx.query<DomainUses>({
    name: 'domains-uses',
    text: `WITH used_templates AS (
             SELECT id, name FROM templates WHERE project_id = $1 AND lower(substring(from_email FROM '[^@]*$')) = $2)
           SELECT coalesce((
                    SELECT jsonb_agg(t) FROM (SELECT id, name FROM used_templates ORDER BY id LIMIT 20) t
                  ), '[]') AS templates,
                  coalesce((SELECT jsonb_agg(s) FROM (
                     SELECT s.id, s.name, s.workflow_id AS "workflowId"
                       FROM workflow_steps s JOIN used_templates t ON t.id = s.template_id
                      WHERE s.project_id = $1 AND s.type = 'SEND_EMAIL'
                       ORDER BY s.id LIMIT 20) s), '[]') AS "workflowSteps",
                  coalesce((SELECT jsonb_agg(c) FROM (
                     SELECT id, name FROM campaigns
                      WHERE project_id = $1 AND status IN ('DRAFT', 'SCHEDULED', 'SENDING')
                        AND (lower(substring(from_email FROM '[^@]*$')) = $2
                             OR EXISTS (SELECT FROM jsonb_array_elements(variants) v
                                         WHERE lower(substring(v ->> 'from' FROM '[^@]*$')) = $2))
                      ORDER BY id LIMIT 20) c), '[]') AS campaigns`,
    values: [projectId, domain],
  });
  return rows[0] ?? { templates: [], workflowSteps: [], campaigns: [] };
}

export async function deleteDomain(tx: Queryable, id: string): Promise<void> {
  await tx.query({ name: 'domains-delete', text: `DELETE FROM domains WHERE id = $1`, values: [id] });
}
