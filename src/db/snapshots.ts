/**
 * Snapshots of PostgreSQL as positions in a log.
 *
 * A transaction with an older id or an earlier clock can commit after a younger one, so neither ids nor times show what
 * a reader has already seen. A snapshot does: the rows that are visible in one snapshot and not in an earlier one are
 * exactly the rows that were committed between the two.
 */
import type { Pool } from './pool.js';

/** A position in the log of all commits. */
export interface Mark {
  /** `pg_snapshot` as text. Everything that is visible in it lies before the mark. */
  snapshot: string;
  /**
   * ISO time. Transactions that commit after the mark started later, so rows after the mark that were stamped with the
   * time of their transaction or statement have a later time.
   */
  since: string;
}

/** A transaction that may write. */
export interface OpenTransaction {
  /** `xid8` as text; null if the transaction has not written yet. */
  xid: string | null;
  startedAt: Date;
}

/** The open transactions of the database at a time. A snapshot that is taken later belongs to them. */
export interface OpenTransactions {
  readAt: Date;
  transactions: OpenTransaction[];
}

/** Transactions of other programs that have not written for this long count as readers (backups, reports). */
const MAX_READER_AGE = '5 seconds';
/**
 * PostgreSQL stamps a transaction before it lists it in pg_stat_activity. The server may suspend the process between
 * the two.
 */
const LISTING_DELAY_MS = 250;

/** Lists the open transactions of this database. Roles see only their own unless they have pg_read_all_stats. */
export async function readOpenTransactions(pool: Pool): Promise<OpenTransactions> {
  const { rows } = await pool.query<{ readAt: Date } & OpenTransaction>({
    name: 'open-transactions',
    // The reference converts a 32-bit id to a 64-bit id: both are the same distance from the next id.
    text: `WITH reference AS MATERIALIZED (
             SELECT clock_timestamp() AS read_at, x.xmax::text::bigint + age(x.xmax::xid) AS next
               FROM pg_snapshot_xmax(pg_current_snapshot()) AS x(xmax)
           )
           SELECT r.read_at AS "readAt", (r.next - age(a.backend_xid))::text AS xid, a.xact_start AS "startedAt"
             FROM reference r LEFT JOIN pg_stat_activity a
               ON a.datname = current_database() AND a.xact_start IS NOT NULL AND a.pid <> pg_backend_pid()
              AND a.backend_type = 'client backend'
              AND (a.backend_xid IS NOT NULL OR a.application_name LIKE 'sendloom%'
                   OR a.xact_start > r.read_at - interval '${MAX_READER_AGE}')`,
  });
  return {
    readAt: new Date((rows[0]?.readAt.getTime() ?? Date.now()) - LISTING_DELAY_MS),
    transactions: rows
      .filter(({ startedAt }) => startedAt !== null)
      .map(({ xid, startedAt }) => ({ xid, startedAt: new Date(startedAt.getTime() - LISTING_DELAY_MS) })),
  };
}

/** Returns the mark of a snapshot that was taken after `open` was read. */
export const markOf = (snapshot: string, { readAt, transactions }: OpenTransactions): Mark => ({
  snapshot,
  since: new Date(
    Math.min(readAt.getTime(), ...transactions.map(({ startedAt }) => startedAt.getTime())),
  ).toISOString(),
});

/** Returns the mark of the present. */
export async function readMark(pool: Pool): Promise<{ mark: Mark; open: OpenTransactions }> {
  const open = await readOpenTransactions(pool);
  const { rows } = await pool.query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot');
  return { mark: markOf(rows[0]?.snapshot ?? '', open), open };
}

/** The parts of a snapshot for comparisons with `xmin`: 32-bit ids, as `xid` and `xid[]` in text. */
export function partsOf(snapshot: string): { xmax: string; running: string[] } {
  const [, xmax = '', list = ''] = snapshot.split(':');
  return { xmax: toXid(xmax), running: list === '' ? [] : list.split(',').map(toXid) };
}

const toXid = (xid8: string): string => String(BigInt.asUintN(32, BigInt(xid8)));

/** Whether the text is a `pg_snapshot`: `xmin:xmax:running`. */
export const isSnapshot = (text: string): boolean => /^\d{1,19}:\d{1,19}:(\d{1,19}(,\d{1,19}){0,999})?$/.test(text);
