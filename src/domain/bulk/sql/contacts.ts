/** The contacts of a bulk job, in parts that are processed one after the other. */
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import type { JobRef } from '../../jobs/sql.js';

/** Contacts of a part. Every part except the last has this size. */
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

/**
 * Removes the parts from one on, and returns their contacts. The caller's transaction also processes them.
 *
 * @param parts at most so many
 */
export async function takeParts(tx: Queryable, { jobId }: JobRef, first: number, parts: number): Promise<string[]> {
  const { rows } = await tx.query<{ ids: string[] }>({
    name: 'bulk-take-parts',
    text: `WITH taken AS (
             DELETE FROM job_contacts WHERE job_id = $1 AND part >= $2 AND part < $2 + $3::int RETURNING part, contact_ids
           )
           SELECT contact_ids AS ids FROM taken ORDER BY part`,
    values: [jobId, first, parts],
  });
  return rows.flatMap(({ ids }) => ids);
}
