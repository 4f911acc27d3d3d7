/** Who asks, and whether their project's rolling minute has room: what every request of the API begins with. */
import type { Queryable } from './pool.js';

/** What a request needs to know of its project. */
export interface ProjectRef {
  id: string;
  disabled: boolean;
  tracking: 'ENABLED' | 'DISABLED' | 'MARKETING_ONLY';
  language: string;
  /** Whether it has a limit for transactional mail. */
  limited: boolean;
}

export interface KeyRow extends ProjectRef {
  publicKey: string;
  secretHash: Buffer;
}

/** The projects of public keys and of hashed secret keys, in one statement. */
export async function findProjectsByKeys(
  db: Queryable,
  publicKeys: string[],
  secretHashes: Buffer[],
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'projects-by-keys',
    text: `SELECT id, disabled, tracking, language, billing_limit_transactional IS NOT NULL AS limited, public_key AS "publicKey", secret_hash AS "secretHash" FROM projects WHERE secret_hash = ANY ($2::bytea[])
           UNION ALL
           SELECT id, disabled, tracking, language, billing_limit_transactional IS NOT NULL, public_key, secret_hash FROM projects WHERE public_key = ANY ($1::text[])`,
    values: [publicKeys, secretHashes],
  });
  return rows;
}

export interface Allowance {
  projectId: string;
  /** How many of the requests that were asked for are within the limit. */
  granted: number;
  /** What is left of the minute after them. */
  remaining: number;
  /** Seconds until the oldest counted requests leave the window. */
  reset: number;
}

/** Takes requests out of the projects' rolling minutes; `projects` ascending by id. */
export async function takeRequests(
  db: Queryable,
  projects: string[],
  counts: number[],
  limit: number,
): Promise<Allowance[]> {
  const { rows } = await db.query<Allowance>({
    name: 'take-requests',
    text: `SELECT project_id AS "projectId", granted, remaining, reset FROM take_requests($1::uuid[], $2::int[], $3::int)`,
    values: [projects, counts, limit],
  });
  return rows;
}
