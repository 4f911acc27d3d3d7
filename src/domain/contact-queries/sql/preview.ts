/** Counts the contacts of several predicates, and of a combination of them, with one scan. */
import type { Queryable } from '../../../db/pool.js';
import type { Predicate } from '../../../db/predicate.js';
import { contactTests, contactsWhere } from '../../conditions/sql/conditions.js';
import { countWhere } from '../../segments/sql/segments.js';

/** Up to this many predicates, the contacts are grouped by the predicates that they match. */
const MAX_GROUPED = 12;

export interface CombinedCounts {
  /** The number of contacts for each predicate. */
  counts: number[];
  total: number;
}

export interface Combination {
  combined: Predicate;
  /** Whether a contact that matches exactly these predicates matches the combination. */
  matches: (holds: (index: number) => boolean) => boolean;
  /** Whether the project has so many contacts that parallel workers save time. */
  isLarge: boolean;
}

/** Counts in a transaction for wide queries. */
export async function countCombined(
  tx: Queryable,
  projectId: string,
  predicates: Predicate[],
  { combined, matches, isLarge }: Combination,
): Promise<CombinedCounts> {
  const [first] = predicates;
  if (first && predicates.length === 1) {
    const total = await countWhere(tx, contactsWhere(projectId, first));
    return { counts: [total], total };
  }
  // The planner underestimates the contacts (src/db/wide-query.ts), and their tests do not reduce its estimate of the
  // rows that workers return. With the usual costs, it therefore scans even large projects without workers.
  if (isLarge)
    await tx.query(`SELECT set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true)`);
  if (predicates.length > MAX_GROUPED) return countSeparately(tx, projectId, [...predicates, combined]);
  const { tests, values } = contactTests(projectId, predicates);
  const mask = ['0', ...tests.map((test, index) => `${test}::int * ${2 ** index}`)].join(' + ');
  // This evaluates each predicate once per contact. There are at most 4,096 groups.
  const { rows } = await tx.query<{ mask: number; count: number }>(
    `SELECT ${mask} AS mask, count(*) AS count FROM contacts c WHERE c.project_id = $1 GROUP BY 1`,
    values,
  );
  const sumOf = (included: (holds: (index: number) => boolean) => boolean): number =>
    rows
      .filter((row) => included((index) => (row.mask & (2 ** index)) !== 0))
      .reduce((sum, { count }) => sum + count, 0);
  return { counts: predicates.map((_, index) => sumOf((holds) => holds(index))), total: sumOf(matches) };
}

async function countSeparately(tx: Queryable, projectId: string, predicates: Predicate[]): Promise<CombinedCounts> {
  const { tests, values } = contactTests(projectId, predicates);
  const columns = tests.map((test) => `count(*) FILTER (WHERE ${test})`).join(', ');
  const { rows } = await tx.query<{ counts: number[] }>(
    `SELECT ARRAY[${columns}]::int[] AS counts FROM contacts c WHERE c.project_id = $1`,
    values,
  );
  const counts = rows[0]?.counts ?? [];
  return { counts: counts.slice(0, -1), total: counts.at(-1) ?? 0 };
}
