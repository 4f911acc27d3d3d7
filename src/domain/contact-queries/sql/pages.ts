/** Pages of the contacts of a set: by a walk along an index, by sorting all matches, or from listed ids. */
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import type { ContactRow } from '../../contacts/sql/rows.js';
import { CONTACT } from '../../segments/sql/segments.js';

export type Direction = 'asc' | 'desc';

export interface PageOrder {
  sort: 'createdAt' | 'email';
  dir: Direction;
}

/** The sort value and the id of a contact. */
export interface PagePlace {
  value: string;
  id: string;
}

export interface PageRange extends PageOrder {
  limit: number;
  offset: number;
  /** The page starts after this place. */
  after?: PagePlace;
}

const opposite = (dir: Direction): Direction => (dir === 'asc' ? 'desc' : 'asc');

/** The order by index columns, and by expressions that no index has. Addresses are unique in a project. */
const orderBy = ({ sort, dir }: PageOrder, by: 'index' | 'expression'): string => {
  if (sort === 'email') return by === 'index' ? `c.email ${dir}` : `c.email || '' ${dir}`;
  return `${by === 'index' ? 'c.created_at' : `c.created_at + interval '0'`} ${dir}, c.id ${dir}`;
};

/** Adds the condition that a contact comes after a place in the order. */
function following({ sql, values }: ContactClause, { sort, dir, after }: PageRange): ContactClause {
  if (!after) return { sql, values };
  const operator = dir === 'asc' ? '>' : '<';
  const all = [...values, after.value];
  if (sort === 'email') return { sql: `${sql} AND c.email ${operator} $${all.length}::text`, values: all };
  all.push(after.id);
  const place = `($${all.length - 1}::timestamptz, $${all.length}::uuid)`;
  return { sql: `${sql} AND (c.created_at, c.id) ${operator} ${place}`, values: all };
}

/**
 * Returns a page of the contacts of a clause, in a transaction for wide queries.
 *
 * @param by `index`: walks along the index of the order until the page is complete; `expression`: finds and sorts all
 * matches
 * @param resultOrder the order of the returned contacts, if it differs from that in which the page is found
 */
export async function selectPage(
  tx: Queryable,
  clause: ContactClause,
  range: PageRange,
  by: 'index' | 'expression',
  resultOrder: PageOrder = range,
): Promise<ContactRow[]> {
  await tx.query(`SELECT set_config('enable_sort', $1, true)`, [by === 'index' ? 'off' : 'on']);
  const { sql, values } = following(clause, range);
  // The inner query reads only columns of the index of its order, if the clause needs no others.
  const [columns, join] =
    range.sort === 'email'
      ? ['c.email', 'c.project_id = $1 AND c.email = page.email']
      : ['c.id', 'c.project_id = $1 AND c.id = page.id'];
  const n = values.length;
  const { rows } = await tx.query<ContactRow>(
    `SELECT ${CONTACT}
       FROM (SELECT ${columns} FROM contacts c WHERE ${sql} ORDER BY ${orderBy(range, by)}
              LIMIT $${n + 1} OFFSET $${n + 2}) page
       JOIN contacts c ON ${join} ORDER BY ${orderBy(resultOrder, 'expression')}`,
    [...values, range.limit, range.offset],
  );
  return rows;
}

/** Returns a page without conditions. The second half of the contacts is read from the end. */
export async function selectPageOfAll(
  tx: Queryable,
  clause: ContactClause,
  range: PageRange,
  total: number,
): Promise<ContactRow[]> {
  const rest = total - range.offset - range.limit;
  if (range.after || rest < 0 || rest > range.offset) return selectPage(tx, clause, range, 'index');
  const fromEnd = { ...range, dir: opposite(range.dir), offset: rest };
  return selectPage(tx, clause, fromEnd, 'index', range);
}

/** Returns these contacts if they match the clause now. */
export async function selectByIds(
  db: Queryable,
  clause: ContactClause,
  ids: string[],
  range: PageRange,
): Promise<ContactRow[]> {
  const { sql, values } = following(clause, range);
  const { rows } = await db.query<ContactRow>(
    `SELECT ${CONTACT} FROM contacts c WHERE ${sql} AND c.id = ANY ($${values.length + 1}::uuid[])
      ORDER BY ${orderBy(range, 'expression')} LIMIT $${values.length + 2}`,
    [...values, ids, range.limit],
  );
  return rows;
}
