/**
 * The ranks of a query: the number of matches in each of some hundred parts of its order. They lead to the page at any
 * position with one scan of the contacts and a short walk, without sorting or storing the matches.
 */
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import { CONTACT_BLOCKS } from '../../contacts/sql/fields.js';
import type { PageOrder } from './pages.js';

/** Sorted values between the parts of an order, as text, and the number of matches in each part, one more than bounds. */
export interface Ranks {
  bounds: string[];
  counts: number[];
}

/**
 * In a project with a million contacts, a part has 4,000 or 16,000 of them. Within it, a page is found by a walk. Finding
 * the part of a text takes as long as comparing it with each bound.
 */
const PARTS = { createdAt: 256, email: 64 } as const;
const fractionsOf = (parts: number): number[] => Array.from({ length: parts - 1 }, (_, index) => (index + 1) / parts);

const SORT = {
  createdAt: { column: 'c.created_at', type: 'timestamptz' },
  email: { column: 'c.email', type: 'text' },
} as const;

/** Returns values that divide the contacts of a project into about equal parts, from a sample of the table. */
async function selectBounds(tx: Queryable, projectId: string, sort: PageOrder['sort']): Promise<string[]> {
  const { rows } = await tx.query<{ bounds: string[] }>({
    name: `contact-bounds-${sort}`,
    text: `SELECT coalesce(percentile_disc($2::float8[]) WITHIN GROUP (ORDER BY ${SORT[sort].column})::text[], '{}') AS bounds
             FROM ${CONTACT_BLOCKS} WHERE c.project_id = $1`,
    values: [projectId, fractionsOf(PARTS[sort])],
  });
  return rows[0]?.bounds ?? [];
}

/** Counts the contacts of a clause by the parts of an order, in a transaction that is prepared for the clause. */
export async function countRanks(
  tx: Queryable,
  projectId: string,
  { sql, values }: ContactClause,
  sort: PageOrder['sort'],
): Promise<Ranks> {
  const bounds = await selectBounds(tx, projectId, sort);
  const { column, type } = SORT[sort];
  // Without OFFSET, the planner expects as many parts as contacts, and workers would not count them. OFFSET allows workers
  // only with a typed constant.
  const { rows } = await tx.query<{ part: number; count: number }>(
    `SELECT part, count(*) AS count
       FROM (SELECT width_bucket(${column}, $${values.length + 1}::${type}[]) AS part
               FROM contacts c WHERE ${sql} OFFSET '0'::bigint) x GROUP BY 1`,
    [...values, bounds],
  );
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  for (const { part, count } of rows) counts[part] = count;
  return { bounds, counts };
}

export const totalOf = ({ counts }: Ranks): number => counts.reduce((sum, count) => sum + count, 0);

/** Where a walk to a position begins: the bound at the beginning of its part, and the matches to skip from there. */
export interface RankedStart {
  /** Undefined: at the first contact. */
  bound?: string;
  offset: number;
}

export function startOf({ bounds, counts }: Ranks, position: number, dir: PageOrder['dir']): RankedStart {
  let offset = position;
  const parts = counts.map((count, part) => ({ count, bound: dir === 'asc' ? bounds[part - 1] : bounds[part] }));
  if (dir === 'desc') parts.reverse();
  for (const { count, bound } of parts) {
    if (offset < count) return { bound, offset };
    offset -= count;
  }
  return { offset: position };
}
