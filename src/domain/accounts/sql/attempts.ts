/** Counted attempts, shared by all API instances. */
import type { Queryable } from '../../../db/pool.js';

export interface AttemptLimit {
  /** The subject of the limit: `login:address:…`. */
  key: string;
  /** The number of attempts that the window allows. */
  max: number;
}

export interface AttemptCount extends AttemptLimit {
  count: number;
  /** Seconds until one more attempt is allowed; null if it is allowed now. */
  retryAfter: number | null;
}

/** Locks the keys until the transaction ends, in sorted order, so that two transactions cannot deadlock. */
export async function lockAttempts(tx: Queryable, keys: string[]): Promise<void> {
  await tx.query({
    name: 'attempts-lock',
    text: `SELECT pg_advisory_xact_lock(hashtextextended(key, 7)) FROM unnest($1::text[]) AS key`,
    values: [[...keys].sort()],
  });
}

/** Returns how many attempts the window contains for each limit. */
export async function countAttempts(
  db: Queryable,
  limits: AttemptLimit[],
  windowSeconds: number,
): Promise<AttemptCount[]> {
  const { rows } = await db.query<AttemptCount>({
    name: 'attempts-count',
    text: `SELECT l.key, l.max, count(a.id)::int AS count,
                  ceil(extract(epoch FROM (array_agg(a.at ORDER BY a.at DESC))[l.max] - clock_timestamp()) + $3)::int
                    AS "retryAfter"
             FROM unnest($1::text[], $2::int[]) AS l(key, max)
             LEFT JOIN auth_attempts a ON a.key = l.key AND a.at > clock_timestamp() - make_interval(secs => $3)
            GROUP BY l.key, l.max`,
    values: [limits.map((limit) => limit.key), limits.map((limit) => limit.max), windowSeconds],
  });
  return rows;
}

/** Records one attempt under each key. */
export async function insertAttempts(tx: Queryable, keys: string[]): Promise<void> {
  await tx.query({
    name: 'attempts-insert',
    text: `INSERT INTO auth_attempts (key, at) SELECT key, clock_timestamp() FROM unnest($1::text[]) AS key`,
    values: [keys],
  });
}

/** Deletes the attempts of a key. */
export async function deleteAttempts(db: Queryable, key: string): Promise<void> {
  await db.query({ name: 'attempts-delete', text: `DELETE FROM auth_attempts WHERE key = $1`, values: [key] });
}

/** Deletes up to 100 attempts that are older than the window, so that the table does not grow. */
export async function pruneAttempts(db: Queryable, windowSeconds: number): Promise<void> {
  await db.query({
    name: 'attempts-prune',
    text: `DELETE FROM auth_attempts WHERE id IN (
             SELECT id FROM (SELECT id, at FROM auth_attempts ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED) AS oldest
              WHERE at < now() - make_interval(secs => $1))`,
    values: [windowSeconds],
  });
}
