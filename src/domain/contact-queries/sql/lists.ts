/**
 * The stored lists of queries in projects with many contacts: the number of matches, and where the pages are. If few
 * contacts match, a list has their ids in the order of the pages; otherwise, it has their ranks.
 */
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import type { PageOrder } from './pages.js';
import { countRanks, totalOf, type Ranks } from './ranks.js';

const ID_BYTES = 16;
/** Unread lists are deleted when another list is stored. */
const KEPT = '10 minutes';

/** The orders of lists. Expressions keep PostgreSQL from walking along an index. */
const LIST_ORDER = {
  createdAt: `c.created_at + interval '0' DESC, c.id DESC`,
  email: `c.email || ''`,
} as const;

export interface ListRef {
  projectId: string;
  key: string;
}

/** A list without its ids. */
export interface CountedList {
  total: number;
  /** Whether the ids are stored. */
  hasIds: boolean;
  ranks: Ranks | null;
}

/** Counts the contacts of a clause, and stores their ranks. */
export async function storeRanks(
  tx: Queryable,
  list: ListRef,
  clause: ContactClause,
  sort: PageOrder['sort'],
): Promise<CountedList> {
  const ranks = await countRanks(tx, list.projectId, clause, sort);
  const total = totalOf(ranks);
  await storeList(tx, list, { total, ranks });
  return { total, hasIds: false, ranks };
}

/**
 * Finds the contacts of a clause and stores their ids.
 *
 * @returns undefined if more contacts than `maxListed` match; then nothing is stored
 */
export async function storeIds(
  tx: Queryable,
  list: ListRef,
  { sql, values }: ContactClause,
  { sort, maxListed }: { sort: PageOrder['sort']; maxListed: number },
): Promise<CountedList | undefined> {
  // PostgreSQL runs a query in parallel only if the statement does not write, so the ids take this detour.
  const { rows } = await tx.query<{ total: number; ids: Buffer }>(
    `SELECT count(*) AS total, coalesce(string_agg(uuid_send(id), ''::bytea), '') AS ids
       FROM (SELECT c.id FROM contacts c WHERE ${sql} ORDER BY ${LIST_ORDER[sort]} LIMIT $${values.length + 1}) x`,
    [...values, maxListed + 1],
  );
  const { total, ids } = rows[0] ?? { total: 0, ids: Buffer.alloc(0) };
  if (total > maxListed) return undefined;
  await storeList(tx, list, { total, ids });
  return { total, hasIds: true, ranks: null };
}

async function storeList(
  tx: Queryable,
  { projectId, key }: ListRef,
  { total, ids, ranks }: { total: number; ids?: Buffer; ranks?: Ranks },
): Promise<void> {
  await tx.query(`DELETE FROM contact_lists WHERE listed_at < now() - interval '${KEPT}'`);
  await tx.query({
    name: 'contact-list-store',
    text: `INSERT INTO contact_lists (project_id, key, total, contact_ids, ranks) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (project_id, key) DO UPDATE
             SET total = excluded.total, contact_ids = excluded.contact_ids, ranks = excluded.ranks, listed_at = now()`,
    values: [projectId, key, total, ids, ranks],
  });
}

export interface StoredList extends CountedList {
  listedAt: Date;
}

export async function findContactList(db: Queryable, { projectId, key }: ListRef): Promise<StoredList | undefined> {
  const { rows } = await db.query<StoredList>({
    name: 'contact-list-find',
    text: `SELECT total, contact_ids IS NOT NULL AS "hasIds", ranks, listed_at AS "listedAt"
             FROM contact_lists WHERE project_id = $1 AND key = $2`,
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
  const { rows } = await db.query<{ ids: Buffer | null }>({
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
