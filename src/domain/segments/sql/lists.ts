/**
 * The stored list of a segment's contacts in a project with many contacts. A page of a condition with few matches, or a
 * page far into the segment, would otherwise take as long as a count.
 */
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import type { ContactRow } from '../../contacts/sql/rows.js';
import { CONTACT } from './segments.js';

/** Pages after this many contacts are not listed. */
export const MAX_LISTED = 1_000_000;
const ID_BYTES = 16;

/** Finds the contacts of a clause, newest first, and stores their list. @returns their number */
export async function storeList(tx: Queryable, segmentId: string, { sql, values }: ContactClause): Promise<number> {
  // Ordering by an expression keeps PostgreSQL from walking along the index.
  const { rows } = await tx.query<{ count: number; ids: Buffer }>(
    `SELECT count(*) AS count,
            coalesce(substring(string_agg(uuid_send(id), ''::bytea) FROM 1 FOR ${MAX_LISTED * ID_BYTES}), '') AS ids
       FROM (SELECT c.id FROM contacts c WHERE ${sql} ORDER BY c.created_at + interval '0' DESC, c.id DESC) x`,
    values,
  );
  const { count, ids } = rows[0] ?? { count: 0, ids: Buffer.alloc(0) };
  await tx.query({
    name: 'segment-store-list',
    text: `INSERT INTO segment_lists (project_id, segment_id, contact_ids)
           SELECT project_id, id, $2 FROM segments WHERE id = $1 FOR KEY SHARE
           ON CONFLICT (segment_id) DO UPDATE SET contact_ids = EXCLUDED.contact_ids, listed_at = now()`,
    values: [segmentId, ids],
  });
  return count;
}

/** Lets calls that change the members of a static segment wait until the end of the transaction. */
export async function lockMembers(tx: Queryable, segmentId: string): Promise<void> {
  await tx.query({
    name: 'segment-lock-members',
    text: `SELECT FROM segments WHERE id = $1 FOR NO KEY UPDATE`,
    values: [segmentId],
  });
}

/** Deletes the list of a locked static segment whose members have changed. */
export async function deleteList(tx: Queryable, segmentId: string): Promise<void> {
  await tx.query({
    name: 'segment-delete-list',
    text: `DELETE FROM segment_lists WHERE segment_id = $1`,
    values: [segmentId],
  });
}

export interface ListedIds {
  ids: string[];
  listedAt: Date;
}

/** Returns a part of a segment's list; undefined if the segment was never listed. */
export async function selectListedIds(
  db: Queryable,
  segmentId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedIds | undefined> {
  const { rows } = await db.query<{ ids: Buffer; listedAt: Date }>({
    name: 'segment-listed-ids',
    text: `SELECT substring(contact_ids FROM $2 + 1 FOR $3) AS ids, listed_at AS "listedAt"
             FROM segment_lists WHERE segment_id = $1`,
    values: [segmentId, offset * ID_BYTES, limit * ID_BYTES],
  });
  const [row] = rows;
  if (!row) return undefined;
  const ids = Array.from({ length: row.ids.length / ID_BYTES }, (_, index) =>
    row.ids.toString('hex', index * ID_BYTES, (index + 1) * ID_BYTES),
  );
  return { ids, listedAt: row.listedAt };
}

/** Returns these contacts if they match the clause now, newest first. */
export async function selectListed(
  db: Queryable,
  { sql, values }: ContactClause,
  ids: string[],
): Promise<ContactRow[]> {
  const { rows } = await db.query<ContactRow>(
    `SELECT ${CONTACT} FROM contacts c WHERE ${sql} AND c.id = ANY ($${values.length + 1}::uuid[])
      ORDER BY c.created_at DESC, c.id DESC`,
    [...values, ids],
  );
  return rows;
}
