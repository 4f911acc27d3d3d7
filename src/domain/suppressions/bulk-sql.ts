/** Suppressing the addresses of many contacts, and lifting their suppressions. */
import { ofProject } from '../../db/of-project.js';
import type { Queryable } from '../../db/pool.js';

export interface SuppressedContact {
  id: string;
  /** Whether the suppression of its address was added or lifted. */
  changed: boolean;
}

const FOUND = `found AS MATERIALIZED (
  SELECT id, email FROM contacts
   WHERE id = ANY ($2::uuid[]) AND ${ofProject('project_id')} ORDER BY email FOR KEY SHARE)`;

/** Suppresses addresses with the weakest reason, `manual`, so that no existing suppression changes. */
export async function suppressContacts(tx: Queryable, projectId: string, ids: string[]): Promise<SuppressedContact[]> {
  const { rows } = await tx.query<SuppressedContact>({
    name: 'suppressions-add-contacts',
    text: `WITH ${FOUND}, added AS (
             INSERT INTO suppressions (project_id, email, reason)
             SELECT $1, email, 'manual' FROM found ORDER BY email
             ON CONFLICT (project_id, email) DO NOTHING RETURNING email)
           SELECT f.id, a.email IS NOT NULL AS changed FROM found f LEFT JOIN added a ON a.email = f.email`,
    values: [projectId, ids],
  });
  return rows;
}

/** Lifts the suppressions of addresses for any reason. */
export async function unsuppressContacts(
  tx: Queryable,
  projectId: string,
  ids: string[],
): Promise<SuppressedContact[]> {
  const { rows } = await tx.query<SuppressedContact>({
    name: 'suppressions-lift-contacts',
    text: `WITH ${FOUND}, lifted AS (
             DELETE FROM suppressions s USING found f WHERE s.project_id = $1 AND s.email = f.email
             RETURNING s.email)
           SELECT f.id, l.email IS NOT NULL AS changed FROM found f LEFT JOIN lifted l ON l.email = f.email`,
    values: [projectId, ids],
  });
  return rows;
}
