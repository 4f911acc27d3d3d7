/** Attempts that are counted to slow guessing, for every API instance together. */
import type { Queryable } from '../pool.js';

export interface AttemptLimit {
  /** What is counted: `login:address:…`. */
  key: string;
  /** Failures within the window, at most. */
  max: number;
}

export interface AttemptCount extends AttemptLimit {
  failed: number;
  /** Failures, and attempts whose outcome is not known yet. */
  taken: number;
  /** Seconds until one more is allowed, given that `max` are taken. */
  retryAfter: number | null;
}

/** An attempt under way is kept under another key, so that it holds a place without being a failure yet. */
const PENDING = 'pending:';

/** Lets one transaction at a time count under these keys. Sorted, so that two that share keys can't deadlock. */
export async function lockAttempts(tx: Queryable, keys: string[]): Promise<void> {
  await tx.query({
    name: 'attempts-lock',
    text: `SELECT pg_advisory_xact_lock(hashtextextended(key, 7)) FROM unnest($1::text[]) AS key`,
    values: [[...keys].sort()],
  });
}

/** How much of each limit is used; the caller holds the lock. */
export async function countAttempts(tx: Queryable, limits: AttemptLimit[], windowSeconds: number): Promise<AttemptCount[]> {
  const { rows } = await tx.query<AttemptCount>({
    name: 'attempts-count',
    text: `SELECT l.key, l.max, count(*) FILTER (WHERE a.key = l.key)::int AS failed, count(a.id)::int AS taken,
                  ceil(extract(epoch FROM (array_agg(a.at ORDER BY a.at DESC))[l.max] - clock_timestamp()) + $3)::int AS "retryAfter"
             FROM unnest($1::text[], $2::int[]) AS l(key, max)
             LEFT JOIN auth_attempts a ON a.key IN (l.key, '${PENDING}' || l.key) AND a.at > clock_timestamp() - make_interval(secs => $3)
            GROUP BY l.key, l.max`,
    values: [limits.map((limit) => limit.key), limits.map((limit) => limit.max), windowSeconds],
  });
  return rows;
}

/** Records an attempt whose outcome is not known yet, under each key. */
export async function insertAttempts(tx: Queryable, keys: string[]): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>({
    name: 'attempts-insert',
    text: `INSERT INTO auth_attempts (key, at) SELECT '${PENDING}' || key, clock_timestamp() FROM unnest($1::text[]) AS key RETURNING id`,
    values: [keys],
  });
  return rows.map((row) => row.id);
}

/** Makes attempts under way failures, which count for the whole window. */
export async function failAttempts(db: Queryable, ids: number[]): Promise<void> {
  await db.query({ name: 'attempts-fail', text: `UPDATE auth_attempts SET key = substr(key, ${PENDING.length + 1}) WHERE id = ANY ($1::bigint[]) AND starts_with(key, '${PENDING}')`, values: [ids] });
}

/** Forgets attempts: successes don't count. */
export async function forgetAttempts(db: Queryable, ids: number[]): Promise<void> {
  await db.query({ name: 'attempts-forget', text: `DELETE FROM auth_attempts WHERE id = ANY ($1::bigint[])`, values: [ids] });
}

/** Forgets what has failed under a key; attempts under way stay. */
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
