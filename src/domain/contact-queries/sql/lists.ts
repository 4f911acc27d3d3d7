/**
 * The stored lists of queries in projects with many contacts: the ids of the contacts in the order of the pages, and
 * their number. Like the lists of segments (src/domain/segments/sql/lists.ts), for any query and two orders.
 */
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';

/** Later contacts are counted and not listed. */
export const MAX_LISTED = 1_000_000;
const ID_BYTES = 16;
/** Unread lists are deleted when another list is stored. */
const KEPT = '10 minutes';

/** The orders of lists. Expressions keep PostgreSQL from walking along an index. */
const LIST_ORDER = {
  createdAt: `c.created_at + interval '0' DESC, c.id DESC`,
  email: `c.email || ''`,
} as const;

export type ListSort = keyof typeof LIST_ORDER;

export interface ListRef {
  projectId: string;
  key: string;
}

/** Finds the contacts of a clause and stores their list. @returns their number */
export async function storeContactList(
  tx: Queryable,
  { projectId, key }: ListRef,
  { sql, values }: ContactClause,
  sort: ListSort,
): Promise<number> {
  // PostgreSQL runs a query in parallel only if the statement does not write, so the ids take this detour.
  const { rows } = await tx.query<{ total: number; ids: Buffer }>(
    `SELECT count(*) AS total,
            coalesce(substring(string_agg(uuid_send(id), ''::bytea) FROM 1 FOR ${MAX_LISTED * ID_BYTES}), '') AS ids
       FROM (SELECT c.id FROM contacts c WHERE ${sql} ORDER BY ${LIST_ORDER[sort]}) x`,
    values,
  );
  const { total, ids } = rows[0] ?? { total: 0, ids: Buffer.alloc(0) };
  await tx.query(`DELETE FROM contact_lists WHERE listed_at < now() - interval '${KEPT}'`);
  await tx.query({
    name: 'contact-list-store',
    text: `INSERT INTO contact_lists (project_id, key, total, contact_ids) VALUES ($1, $2, $3, $4)
           ON CONFLICT (project_id, key) DO UPDATE
             SET total = excluded.total, contact_ids = excluded.contact_ids, listed_at = now()`,
    values: [projectId, key, total, ids],
  });
  return total;
}

export interface StoredList {
  total: number;
  listedAt: Date;
}

export async function findContactList(db: Queryable, { projectId, key }: ListRef): Promise<StoredList | undefined> {
  const { rows } = await db.query<StoredList>({
    name: 'contact-list-find',
    text: `SELECT total, listed_at AS "listedAt" FROM contact_lists WHERE project_id = $1 AND key = $2`,
    values: [projectId, key],
  });
  return rows[0];
}

/** Returns a part of a list: `count` ids from `start`, in the order of the list. */
export async function selectListedIds(
  db: Queryable,
  { projectId, key }: ListRef,
  { start, count }: { start: number; count: number },
): Promise<string[]> {
  const { rows } = await db.query<{ ids: Buffer }>({
    name: 'contact-list-ids',
    text: `SELECT substring(contact_ids FROM $3 + 1 FOR $4) AS ids
             FROM contact_lists WHERE project_id = $1 AND key = $2`,
    values: [projectId, key, start * ID_BYTES, count * ID_BYTES],
  });
  const ids = rows[0]?.ids ?? Buffer.alloc(0);
  return Array.from({ length: ids.length / ID_BYTES }, (_, index) =>
    ids.toString('hex', index * ID_BYTES, (index + 1) * ID_BYTES),
  );
}
