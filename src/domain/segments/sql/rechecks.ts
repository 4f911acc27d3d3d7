/** The log of contacts whose membership of tracked segments must be checked again (src/domain/segments/follow.ts). */
import type { Queryable } from '../../../db/pool.js';
import { SEGMENT_COLUMNS, type SegmentRow } from './segments.js';

/** The projects with logged contacts. */
export async function projectsWithRechecks(db: Queryable): Promise<string[]> {
  // One index lookup per project, however many rows each has.
  const { rows } = await db.query<{ id: string }>({
    name: 'rechecks-projects',
    text: `WITH RECURSIVE found AS (
             (SELECT project_id AS id FROM segment_rechecks ORDER BY project_id LIMIT 1)
             UNION ALL
             SELECT (SELECT r.project_id FROM segment_rechecks r WHERE r.project_id > found.id
                      ORDER BY r.project_id LIMIT 1) FROM found WHERE found.id IS NOT NULL)
           SELECT id FROM found WHERE id IS NOT NULL`,
  });
  return rows.map(({ id }) => id);
}

/** Locks a project's log until the end of the transaction. @returns false if another transaction has locked it */
export async function tryLockRechecks(tx: Queryable, projectId: string): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>({
    name: 'rechecks-lock',
    text: `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 5)) AS locked`,
    values: [projectId],
  });
  return rows[0]?.locked ?? false;
}

/**
 * Locks the tracked dynamic segments of an enabled project.
 *
 * @throws an error with SQLSTATE 55P03 if another transaction, such as a compute, has locked one of them
 */
export async function lockTrackedSegments(tx: Queryable, projectId: string): Promise<SegmentRow[]> {
  const { rows } = await tx.query<SegmentRow>({
    name: 'rechecks-lock-segments',
    text: `SELECT ${SEGMENT_COLUMNS} FROM segments s
            WHERE s.project_id = $1 AND s.track_membership AND s.type = 'DYNAMIC'
              AND EXISTS (SELECT FROM projects p WHERE p.id = $1 AND NOT p.disabled)
            ORDER BY s.id FOR UPDATE OF s NOWAIT`,
    values: [projectId],
  });
  return rows;
}

/** Removes up to `limit` rows from a project's log. @returns their contacts; a contact can occur more than once */
export async function takeRechecks(tx: Queryable, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'rechecks-take',
    text: `DELETE FROM segment_rechecks WHERE project_id = $1
              AND id = ANY (ARRAY(SELECT id FROM segment_rechecks WHERE project_id = $1 ORDER BY id LIMIT $2))
           RETURNING contact_id AS id`,
    values: [projectId, limit],
  });
  return rows.map(({ id }) => id);
}

/** Empties a project's log. Tracked segments that it still has are computed as a whole later. */
export async function discardRechecks(tx: Queryable, projectId: string): Promise<void> {
  await tx.query(`DELETE FROM segment_rechecks WHERE project_id = $1`, [projectId]);
  await tx.query(
    `UPDATE segments SET computed_at = NULL WHERE project_id = $1 AND track_membership AND type = 'DYNAMIC'`,
    [projectId],
  );
}

/** Logs contacts whose membership of a static segment changed: conditions of tracked segments may name it. */
export async function addRechecks(tx: Queryable, projectId: string, contactIds: string[]): Promise<void> {
  if (contactIds.length === 0) return;
  await tx.query({
    name: 'rechecks-add',
    text: `INSERT INTO segment_rechecks (project_id, contact_id) SELECT $1, t.id FROM unnest($2::uuid[]) AS t(id)
            WHERE EXISTS (SELECT FROM segments WHERE project_id = $1 AND track_membership AND type = 'DYNAMIC')`,
    values: [projectId, contactIds],
  });
}
