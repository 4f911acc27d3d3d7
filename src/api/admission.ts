/**
 * Admission: finds the project of an API key and applies the rate limit.
 *
 * Every request queries the database, so that key rotation and the limit take effect immediately on every instance.
 * Concurrent requests share one statement.
 */
import { createHash } from 'node:crypto';
import type { ApiContext } from '../context.js';
import { createBatcher } from '../db/batcher.js';
import { admitKeys, takeRequests, type Allowance, type ProjectRef } from '../db/admission.js';
import { hashSecret } from '../domain/projects/keys.js';
import { createKeyUses } from './key-uses.js';

export interface RateLimit {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the oldest counted request leaves the window. */
  reset: number;
}

export interface Admission {
  /** Counts one request of an API key against the key's limit. Returns null if the key does not exist. */
  admitKey(key: string): Promise<{ project: ProjectRef; rate: RateLimit } | null>;
  /** Counts one request of a user's session against the user's limit for the project. */
  admitSession(projectId: string, userId: string): Promise<RateLimit>;
}

export function createAdmission({ pool, config, log }: ApiContext): Admission {
  const recordUse = createKeyUses({ pool, log });
  const limit = config.RATE_LIMIT_PER_MINUTE;

  const admitKey = createBatcher<string, { project: ProjectRef; rate: RateLimit } | null>({
    max: 500,
    // A second batch would wait for the first one's locks anyway.
    parallel: 1,
    // The requests of a batch also share the statement that does their work.
    spacing: { ms: 10, enough: 16 },
    async run(keys) {
      const counts = [...countEqual(keys)].map(([key, count]) => ({ key, count }));
      const publicKeys = counts.filter(({ key }) => key.startsWith('pk_'));
      const secrets = counts
        .filter(({ key }) => key.startsWith('sk_'))
        .map(({ key, count }) => ({ secret: key, key: hashSecret(key), count }));
      const rows = await admitKeys(pool, publicKeys, secrets, limit);
      for (const { id, publicKey, secretHash } of rows)
        recordUse({
          projectId: id,
          kind: publicKey === null ? 'secret' : 'public',
          key: publicKey ?? secretHash?.toString('hex') ?? '',
        });
      const byPublic = new Map(rows.map((row) => [row.publicKey, row]));
      const byHash = new Map(rows.map((row) => [row.secretHash?.toString('hex'), row]));
      const bySecret = new Map(secrets.map(({ secret, key }) => [secret, byHash.get(key.toString('hex'))]));
      return keys.map((key) => {
        const row = bySecret.get(key) ?? byPublic.get(key);
        if (!row) return null;
        const { id, disabled, tracking, language, limited } = row;
        return { project: { id, disabled, tracking, language, limited }, rate: takeOne(row, limit) };
      });
    },
  });

  const takeFromBucket = createBatcher<string, RateLimit>({
    max: 500,
    parallel: 1,
    async run(bucketIds) {
      const counts = countEqual(bucketIds);
      const ids = [...counts.keys()].sort();
      const rows = await takeRequests(
        pool,
        ids,
        ids.map((id) => counts.get(id) ?? 0),
        limit,
      );
      const allowances = new Map(rows.map((row) => [row.bucketId, row]));
      return bucketIds.map((id) => {
        const allowance = allowances.get(id);
        if (!allowance) throw new Error('take_requests returned no row for a bucket');
        return takeOne(allowance, limit);
      });
    },
  });

  return { admitKey, admitSession: (projectId, userId) => takeFromBucket(sessionBucketId(projectId, userId)) };
}

/** Returns the id of a user's bucket for a project: a hash in the form of a UUID. */
const sessionBucketId = (projectId: string, userId: string): string =>
  createHash('sha256')
    .update(`${projectId}/${userId}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

function countEqual(values: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Takes one request from an allowance that the requests of a batch share. */
function takeOne(allowance: Allowance, limit: number): RateLimit {
  const { reset } = allowance;
  if (allowance.granted === 0) return { allowed: false, limit, remaining: 0, reset };
  allowance.granted--;
  return { allowed: true, limit, remaining: allowance.remaining + allowance.granted, reset };
}
