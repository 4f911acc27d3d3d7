/**
 * Admission: finds the project of an API key and applies the rate limit.
 *
 * Every request queries the database for both, so that key rotation and the limit take effect immediately on every
 * instance. Concurrent requests share one statement for each.
 */
import { createHash } from 'node:crypto';
import type { Context } from '../context.js';
import { createBatcher } from '../db/batcher.js';
import { findProjectsByKeys, takeRequests, type Allowance, type ProjectRef } from '../db/admission.js';
import { hashSecret } from '../domain/projects/keys.js';

export interface RateLimit {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the oldest counted request leaves the window. */
  reset: number;
}

/** The credential of a request. Each has its own rate limit, so that none can use up the budget of another. */
export type Credential = { kind: 'secret' } | { kind: 'public' } | { kind: 'session'; userId: string };

export interface Admission {
  /** Returns the project of an API key, or null if the key does not exist. */
  projectOfKey(key: string): Promise<ProjectRef | null>;
  /** Counts one request of a credential against its limit for the project. */
  countRequest(projectId: string, credential: Credential): Promise<RateLimit>;
}

/**
 * Returns the id of the rate limit bucket of a credential.
 *
 * The secret key uses the project's own id, as earlier versions do for every credential, so that old and new processes
 * that run side by side count its requests together. The other ids are hashes in the form of a UUID.
 */
function bucketOf(projectId: string, credential: Credential): string {
  if (credential.kind === 'secret') return projectId;
  const owner = credential.kind === 'public' ? 'public' : credential.userId;
  const hash = createHash('sha256').update(`${projectId}/${owner}`).digest('hex');
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

export function createAdmission({ pool, config }: Context): Admission {
  const limit = config.RATE_LIMIT_PER_MINUTE;

  const projectOfKey = createBatcher<string, ProjectRef | null>({
    max: 500,
    parallel: 2,
    async run(keys) {
      const publicKeys = keys.filter((key) => key.startsWith('pk_'));
      const secrets = new Map(keys.filter((key) => key.startsWith('sk_')).map((key) => [key, hashSecret(key)]));
      const rows = await findProjectsByKeys(pool, publicKeys, [...secrets.values()]);
      const byPublic = new Map(rows.map((row) => [row.publicKey, row]));
      const byHash = new Map(rows.map((row) => [row.secretHash.toString('hex'), row]));
      return keys.map((key) => {
        const secret = secrets.get(key);
        const row = secret ? byHash.get(secret.toString('hex')) : byPublic.get(key);
        return row
          ? { id: row.id, disabled: row.disabled, tracking: row.tracking, language: row.language, limited: row.limited }
          : null;
      });
    },
  });

  const countInBucket = createBatcher<string, RateLimit>({
    max: 500,
    // A second batch would wait for the first one's locks anyway.
    parallel: 1,
    async run(bucketIds) {
      const counts = new Map<string, number>();
      for (const id of bucketIds) counts.set(id, (counts.get(id) ?? 0) + 1);
      const buckets = [...counts.keys()].sort();
      const allowances = await takeRequests(
        pool,
        buckets,
        buckets.map((id) => counts.get(id) ?? 0),
        limit,
      );
      const left = new Map<string, Allowance>(
        allowances.map((allowance) => [
          allowance.bucketId,
          { ...allowance, remaining: allowance.remaining + allowance.granted },
        ]),
      );
      return bucketIds.map((id) => {
        const allowance = left.get(id);
        if (!allowance) throw new Error('take_requests returned no row for a bucket');
        const { reset } = allowance;
        if (allowance.granted === 0) return { allowed: false, limit, remaining: 0, reset };
        allowance.granted--;
        allowance.remaining--;
        return { allowed: true, limit, remaining: allowance.remaining, reset };
      });
    },
  });

  return {
    projectOfKey,
    countRequest: (projectId, credential) => countInBucket(bucketOf(projectId, credential)),
  };
}
