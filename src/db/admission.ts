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

export interface KeyRow extends ProjectRef {
  publicKey: string;
  secretHash: Buffer;
}

/** Returns the projects of public keys and of hashed secret keys. */
export async function findProjectsByKeys(
  db: Queryable,
  publicKeys: string[],
  secretHashes: Buffer[],
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'projects-by-keys',
    text: `SELECT id, disabled, tracking, language, billing_limit_transactional IS NOT NULL AS limited,
                  public_key AS "publicKey", secret_hash AS "secretHash"
             FROM projects WHERE secret_hash = ANY ($2::bytea[])
           UNION ALL
           SELECT id, disabled, tracking, language, billing_limit_transactional IS NOT NULL, public_key, secret_hash
             FROM projects WHERE public_key = ANY ($1::text[])`,
    values: [publicKeys, secretHashes],
  });
  return rows;
}

export interface Allowance {
  bucketId: string;
  /** The number of requests that are within the limit. */
  granted: number;
  /** The number of further requests that the window allows. */
  remaining: number;
  /** Seconds until the oldest counted request leaves the window. */
  reset: number;
}

/**
 * Counts requests in the rolling minutes of rate limit buckets. The function and its table call a bucket's id
 * `project_id`, because earlier versions had one bucket per project.
 *
 * @param bucketIds in ascending order, so that concurrent calls cannot deadlock
 */
export async function takeRequests(
  db: Queryable,
  bucketIds: string[],
  counts: number[],
  limit: number,
): Promise<Allowance[]> {
  const { rows } = await db.query<Allowance>({
    name: 'take-requests',
    text: `SELECT project_id AS "bucketId", granted, remaining, reset FROM take_requests($1::uuid[], $2::int[], $3::int)`,
    values: [bucketIds, counts, limit],
  });
  return rows;
}
