/** Queries over all contacts of a project. */
import type { PoolClient } from 'pg';
import { transaction, type Pool, type Queryable } from './pool.js';

/**
 * Prepares a transaction for such queries. `work_mem` fits the hash of a million ids; with less, PostgreSQL looks up
 * each contact separately. JIT compilation takes longer than the query. Three parallel workers halve the time of a scan
 * on two processors (bench/segments.ts).
 *
 * The planner estimates every project as 0.5% of the contacts (prisma/migrations/20261122120000_statistics). Costs and
 * sizes are set to compensate for that in large projects: parallel workers start for small estimates, and an index scan
 * of all contacts of a project costs more than one of the few contacts with a value. With 300,000 contacts in one
 * project and 40 other projects, counts of the benchmark's ten trees took 97 to 822 ms (128 to 706 ms with statistics,
 * 180 to 1,821 ms with neither statistics nor these settings), and first pages took 8 to 69 ms (20 to 126 ms).
 * These figures were measured with a parallel_setup_cost of 0. With it, workers also started for a table of 200,000
 * contacts in five projects, where starting them takes longer than they save.
 *
 * @param inIndexOrder whether to read a page along an index. In a table without statistics, PostgreSQL would otherwise
 *   sort all contacts of the project for each page
 */
export async function prepareWideQuery(tx: PoolClient, { inIndexOrder = false } = {}): Promise<void> {
  await tx.query(
    `SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
            set_config('max_parallel_workers_per_gather', '3', true),
            set_config('parallel_setup_cost', '20', true),
            set_config('min_parallel_table_scan_size', '0', true),
            set_config('cpu_index_tuple_cost', '0.05', true),
            set_config('enable_sort', $1, true)`,
    [inIndexOrder ? 'off' : 'on'],
  );
}

/** Runs `work` in a transaction that is prepared for wide queries. */
export function wideQuery<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  return transaction(pool, async (tx) => {
    await prepareWideQuery(tx);
    return work(tx);
  });
}

/**
 * Prepares a scan of all contacts of a large project, in a transaction for wide queries, by parallel workers.
 *
 * @param hasLogs whether the scan looks up contacts in hash tables of events or members. Each worker fills its own, so there
 *   is only one, and rows keep their cost, because otherwise a worker would help to fill a table instead of scanning
 */
export async function prepareScan(tx: Queryable, { hasLogs }: { hasLogs: boolean }): Promise<void> {
  await tx.query(
    `SELECT set_config('parallel_setup_cost', '0', true),
            set_config('max_parallel_workers_per_gather',
                       coalesce($1, current_setting('max_parallel_workers_per_gather')), true),
            set_config('parallel_tuple_cost', coalesce($2, current_setting('parallel_tuple_cost')), true)`,
    hasLogs ? ['1', null] : [null, '0'],
  );
}

/**
 * Prepares a count that joins all contacts of a project with their events and memberships, in a transaction for wide
 * queries with no other statements. Indexes return all of them in the order of the contacts' ids, so the joins need no
 * hash table, which every parallel worker would fill for itself: with a million contacts, 600,000 events, and two workers
 * that took 1.3 times as long.
 *
 * @param isParallel whether the project is so large that a worker saves time
 */
export async function prepareMergeJoins(tx: Queryable, { isParallel }: { isParallel: boolean }): Promise<void> {
  await tx.query(
    `SELECT set_config(name, 'off', true)
       FROM unnest('{enable_hashjoin,enable_nestloop,enable_seqscan,enable_bitmapscan,enable_sort}'::text[]) AS name
      UNION ALL
     SELECT set_config(name, '0', true)
       FROM unnest('{parallel_setup_cost,parallel_tuple_cost,min_parallel_index_scan_size}'::text[]) AS name
      UNION ALL
     SELECT set_config('max_parallel_workers_per_gather', $1, true)`,
    [isParallel ? '1' : '0'],
  );
}
