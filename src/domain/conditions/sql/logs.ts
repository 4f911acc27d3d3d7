/** Whether predicates on events and members have many rows. */
import type { Queryable } from '../../../db/pool.js';
import type { Predicate } from '../../../db/predicate.js';
import { isIndexed, logQueries } from './conditions.js';

/** With fewer rows, looking up their contacts takes less time than a scan of 200,000 contacts. */
const MANY_ROWS = 20_000;

/**
 * Whether a scan of a large project's contacts finds the matches sooner than a join with events and members. The planner
 * can't decide it, because it estimates the events of every name as the same small share.
 */
export async function needsScan(db: Queryable, projectId: string, predicate: Predicate): Promise<boolean> {
  const { queries, values } = logQueries(projectId, predicate);
  if (queries.length === 0 || isIndexed(predicate, false)) return false;
  const { rows } = await db.query<{ many: boolean }>(
    // Queries of members do not use the project, but each parameter needs a type.
    `SELECT ${queries.map((query) => `EXISTS (${query} OFFSET ${MANY_ROWS})`).join(' OR ')} AS many
       FROM (SELECT $1::uuid) project`,
    values,
  );
  return rows[0]?.many ?? false;
}
