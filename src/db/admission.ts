/** Statements for the authentication and rate limit of every API request. */
import type { Queryable } from './pool.js';

/** The columns of a project that every request needs. */
export interface ProjectRef {
  id: string;
  disabled: boolean;
  tracking: 'ENABLED' | 'DISABLED' | 'MARKETING_ONLY';
  language: string;
  /** Whether the project has a limit for transactional email. */
  limited: boolean;
}

export interface Allowance {
  /** The number of requests that are within the limit. */
  granted: number;
  /** The number of further requests that the window allows. */
  remaining: number;
  /** Seconds until the oldest counted request leaves the window. */
  reset: number;
}

/** The project of an API key, and the allowance of the key's rate limit bucket. */
export interface AdmittedKey extends ProjectRef, Allowance {
  publicKey: string | null;
  secretHash: Buffer | null;
}

/** Requests with the same key: the key, or the hash of a secret key, and their number. */
export interface KeyCount<K> {
  key: K;
  count: number;
}

/**
 * Finds the projects of API keys and counts the requests in the rolling minutes of the keys' buckets. A key without a
 * project has no row in the result.
 *
 * The bucket of a secret key has the project's id, as in earlier versions that had one bucket per project. The id of a
 * public key's bucket is a hash.
 */
export async function admitKeys(
  db: Queryable,
  publicKeys: Array<KeyCount<string>>,
  secretHashes: Array<KeyCount<Buffer>>,
  limit: number,
): Promise<AdmittedKey[]> {
  const { rows } = await db.query<AdmittedKey>({
    name: 'admit-keys',
    text: `
WITH used AS (
  SELECT p.id, p.disabled, p.tracking, p.language, p.billing_limit_transactional IS NOT NULL AS limited,
         NULL AS public_key, p.secret_hash, p.id AS bucket_id, k.count
    FROM unnest($1::bytea[], $2::int[]) AS k(hash, count) JOIN projects p ON p.secret_hash = k.hash
  UNION ALL
  SELECT p.id, p.disabled, p.tracking, p.language, p.billing_limit_transactional IS NOT NULL,
         p.public_key, NULL, left(encode(sha256(convert_to(p.id || '/public', 'UTF8')), 'hex'), 32)::uuid, k.count
    FROM unnest($3::text[], $4::int[]) AS k(key, count) JOIN projects p ON p.public_key = k.key
), buckets AS (
  -- In ascending order, so that concurrent calls cannot deadlock.
  SELECT coalesce(array_agg(bucket_id ORDER BY bucket_id), '{}') AS ids,
         coalesce(array_agg(count ORDER BY bucket_id), '{}') AS counts
    FROM used
)
SELECT used.id, used.disabled, used.tracking, used.language, used.limited, used.public_key AS "publicKey",
       used.secret_hash AS "secretHash", taken.granted, taken.remaining, taken.reset
  FROM buckets
 CROSS JOIN LATERAL take_requests(buckets.ids, buckets.counts, $5::int) AS taken
  JOIN used ON used.bucket_id = taken.project_id`,
    values: [
      secretHashes.map(({ key }) => key),
      secretHashes.map(({ count }) => count),
      publicKeys.map(({ key }) => key),
      publicKeys.map(({ count }) => count),
      limit,
    ],
  });
  return rows;
}

/**
 * Counts requests of sessions in the rolling minutes of their buckets.
 *
 * @param bucketIds in ascending order, so that concurrent calls cannot deadlock
 */
export async function takeRequests(
  db: Queryable,
  bucketIds: string[],
  counts: number[],
  limit: number,
): Promise<Array<Allowance & { bucketId: string }>> {
  const { rows } = await db.query<Allowance & { bucketId: string }>({
    name: 'take-requests',
    text: `SELECT project_id AS "bucketId", granted, remaining, reset
             FROM take_requests($1::uuid[], $2::int[], $3::int)`,
    values: [bucketIds, counts, limit],
  });
  return rows;
}

export type KeyKind = 'public' | 'secret';

/** Records that a key of a project was used now. Does nothing if the project does not exist anymore. */
export async function recordKeyUse(db: Queryable, projectId: string, kind: KeyKind): Promise<void> {
  await db.query({
    name: 'key-use',
    text: `INSERT INTO key_uses AS u (project_id, kind) SELECT id, $2 FROM projects WHERE id = $1
           ON CONFLICT (project_id, kind) DO UPDATE SET last_used_at = now() WHERE u.last_used_at < now()`,
    values: [projectId, kind],
  });
}

/** Whether the hash is that of the current secret key of the project. */
export async function isSecretOfProject(db: Queryable, projectId: string, hash: Buffer): Promise<boolean> {
  const { rows } = await db.query<{ valid: boolean }>({
    name: 'admission-is-secret',
    text: 'SELECT EXISTS (SELECT FROM projects WHERE id = $1 AND secret_hash = $2) AS valid',
    values: [projectId, hash],
  });
  return rows[0]?.valid ?? false;
}
