/** Attempts that are counted to slow guessing, for every API instance together. */
import type { Queryable } from '../../../db/pool.js';

export interface AttemptLimit {
  /** What is counted: `login:address:…`. */
  key: string;
  /** Failures within the window, at most. */
  max: number;
}

export interface AttemptCount extends AttemptLimit {
  failed: number;
  /** Seconds until one more is allowed; null while it is. */
  retryAfter: number | null;
}

/** Lets one transaction at a time count under these keys. Sorted, so that two that share keys can't deadlock. */
export async function lockAttempts(tx: Queryable, keys: string[]): Promise<void> {
  await tx.query({
    name: 'attempts-lock',
    text: `SELECT pg_advisory_xact_lock(hashtextextended(key, 7)) FROM unnest($1::text[]) AS key`,
    values: [[...keys].sort()],
  });
}

/** How much of each limit is used. */
export async function countAttempts(
  db: Queryable,
  limits: AttemptLimit[],
  windowSeconds: number,
): Promise<AttemptCount[]> {
  const { rows } = await db.query<AttemptCount>({
    name: 'attempts-count',
    text: `SELECT l.key, l.max, count(a.id)::int AS failed, ceil(extract(epoch FROM (array_agg(a.at ORDER BY a.at DESC))[l.max] - clock_timestamp()) + $3)::int AS "retryAfter"
             FROM unnest($1::text[], $2::int[]) AS l(key, max)
             LEFT JOIN auth_attempts a ON a.key = l.key AND a.at > clock_timestamp() - make_interval(secs => $3)
            GROUP BY l.key, l.max`,
    values: [limits.map((limit) => limit.key), limits.map((limit) => limit.max), windowSeconds],
  });
  return rows;
}

/** Counts one under each key, for the whole window. */
export async function insertAttempts(tx: Queryable, keys: string[]): Promise<void> {
  await tx.query({
    name: 'attempts-insert',
    text: `INSERT INTO auth_attempts (key, at) SELECT key, clock_timestamp() FROM unnest($1::text[]) AS key`,
    values: [keys],
  });
}

/** Forgets what has failed under a key. */
export async function forgetFailures(db: Queryable, key: string): Promise<void> {
  await db.query({ name: 'attempts-forget-failures', text: `DELETE FROM auth_attempts WHERE key = $1`, values: [key] });
}

/** Deletes some of the oldest attempts that no window counts any more, so that the table stays as small as its use. */
export async function pruneAttempts(db: Queryable, windowSeconds: number): Promise<void> {
  await db.query({
    name: 'attempts-prune',
    text: `DELETE FROM auth_attempts WHERE id IN (
             SELECT id FROM (SELECT id, at FROM auth_attempts ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED) AS oldest
              WHERE at < now() - make_interval(secs => $1))`,
    values: [windowSeconds],
  });
}
