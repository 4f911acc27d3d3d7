/** Counts the contacts of several predicates, and of a combination of them, with one scan. */
import type { Queryable } from '../../../db/pool.js';
import type { Predicate } from '../../../db/predicate.js';
import { prepareMergeJoins, prepareScan } from '../../../db/wide-query.js';
import {
  contactTests,
  contactsWhere,
  IN_PROJECT,
  readsLogs,
  type ProjectSize,
} from '../../conditions/sql/conditions.js';
import { countWhere } from '../../segments/sql/segments.js';

/** Predicates, by their indexes, and nested combinations of them. */
export interface Combination {
  by: 'AND' | 'OR';
  of: Array<number | Combination>;
}

export interface CombinedCounts {
  /** The number of contacts for each predicate. */
  counts: number[];
  total: number;
}

/** Counts in a transaction for wide queries, which must have no other statements. */
export async function countCombined(
  tx: Queryable,
  projectId: string,
  predicates: Predicate[],
  combination: Combination,
  size: ProjectSize,
): Promise<CombinedCounts> {
  const [first] = predicates;
  const hasLogs = predicates.some(readsLogs);
  if (first && predicates.length === 1 && (hasLogs || size !== 'dominant')) {
    const total = await countWhere(tx, contactsWhere(projectId, first));
    return { counts: [total], total };
  }
  if (hasLogs) await prepareMergeJoins(tx, { isParallel: size !== 'small' });
  else if (size !== 'small') await prepareScan(tx, { hasLogs: false });
  const { columns, joins, tests, values } = contactTests(projectId, predicates);
  const results = tests.map((test, index) => `${test} AS ${columnOf(index)}`);
  const conditions = [...tests.map((_, index) => columnOf(index)), combined(combination)];
  // OFFSET keeps PostgreSQL from evaluating a column twice. It allows parallel workers only with a typed constant.
  const { rows } = await tx.query<{ counts: number[] }>(
    `SELECT ARRAY[${conditions.map((condition) => `count(*) FILTER (WHERE ${condition})`).join(', ')}]::int[] AS counts
       FROM (SELECT ${['c.id', ...results].join(', ')}
               FROM (SELECT ${['c.*', ...columns].join(', ')} FROM contacts c ${joins.join(' ')}
                      WHERE ${IN_PROJECT[hasLogs ? 'small' : size]}
                     OFFSET '0'::bigint) c
             OFFSET '0'::bigint) tested`,
    values,
  );
  const counts = rows[0]?.counts ?? [];
  return { counts: counts.slice(0, -1), total: counts.at(-1) ?? 0 };
}

const columnOf = (index: number): string => `matches_${index}`;

/** A combination without parts matches all contacts. */
function combined({ by, of }: Combination): string {
  if (of.length === 0) return 'true';
  return `(${of.map((part) => (typeof part === 'number' ? columnOf(part) : combined(part))).join(` ${by} `)})`;
}
