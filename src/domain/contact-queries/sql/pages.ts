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
  /** Contacts before this sort value are not visited: less than it, or, if descending, not less than it. */
  bound?: string;
}

/** The order by index columns, and by expressions that no index has. Addresses are unique in a project. */
const orderBy = ({ sort, dir }: PageOrder, by: 'index' | 'expression'): string => {
  if (sort === 'email') return by === 'index' ? `c.email ${dir}` : `c.email || '' ${dir}`;
  return `${by === 'index' ? 'c.created_at' : `c.created_at + interval '0'`} ${dir}, c.id ${dir}`;
};

/** Adds the condition that a contact comes after a place or a bound in the order. */
function following({ sql, values }: ContactClause, { sort, dir, after, bound }: PageRange): ContactClause {
  if (!after && bound !== undefined) {
    const [column, type] = sort === 'email' ? ['c.email', 'text'] : ['c.created_at', 'timestamptz'];
    const comparison = `${column} ${dir === 'asc' ? '>=' : '<'} $${values.length + 1}::${type}`;
    return { sql: `${sql} AND ${comparison}`, values: [...values, bound] };
  }
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
 */
export async function selectPage(
  tx: Queryable,
  clause: ContactClause,
  range: PageRange,
  by: 'index' | 'expression',
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
       JOIN contacts c ON ${join} ORDER BY ${orderBy(range, 'expression')}`,
    [...values, range.limit, range.offset],
  );
  return rows;
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
