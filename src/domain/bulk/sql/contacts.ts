/** The contacts of a bulk job, in parts that are processed one after the other. */
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import type { JobRef } from '../../jobs/sql.js';

/** Contacts of a part, which one transaction processes. Every part except the last has this size. */
export const PART_SIZE = 2000;

/** Stores the contacts that match a clause now, except some. @returns their number */
export async function storeMatches(
  tx: Queryable,
  { jobId }: JobRef,
  { sql, values }: ContactClause,
  except: string[],
): Promise<number> {
  const n = values.length;
  const { rows } = await tx.query<{ total: number }>(
    `WITH parts AS (
       INSERT INTO job_contacts (job_id, project_id, part, contact_ids)
       SELECT $${n + 1}, $1, x.part, array_agg(x.id ORDER BY x.id)
         FROM (SELECT c.id, (row_number() OVER (ORDER BY c.id) - 1) / ${PART_SIZE} AS part
                 FROM contacts c WHERE ${sql} AND c.id <> ALL ($${n + 2}::uuid[])) x
        GROUP BY x.part
       RETURNING cardinality(contact_ids) AS size
     )
     SELECT coalesce(sum(size), 0)::int AS total FROM parts`,
    [...values, jobId, except],
  );
  // They are long, and every part would read them again.
  await tx.query(`UPDATE jobs SET params = params - 'except' WHERE id = $1`, [jobId]);
  return rows[0]?.total ?? 0;
}

/** Stores these contacts. */
export async function storeIds(tx: Queryable, { jobId, projectId }: JobRef, ids: string[]): Promise<void> {
  await tx.query(
    `INSERT INTO job_contacts (job_id, project_id, part, contact_ids)
     SELECT $1, $2, (t.n - 1) / ${PART_SIZE}, array_agg(t.id ORDER BY t.n)
       FROM unnest($3::uuid[]) WITH ORDINALITY AS t(id, n) GROUP BY 3`,
    [jobId, projectId, ids],
  );
}

/** Removes a part and returns its contacts. The caller's transaction also processes them. */
export async function takePart(tx: Queryable, { jobId }: JobRef, part: number): Promise<string[]> {
  const { rows } = await tx.query<{ ids: string[] }>({
    name: 'bulk-take-part',
    text: `DELETE FROM job_contacts WHERE job_id = $1 AND part = $2 RETURNING contact_ids AS ids`,
    values: [jobId, part],
  });
  return rows[0]?.ids ?? [];
}
