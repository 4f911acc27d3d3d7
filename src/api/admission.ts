/**
 * Admission: whose request it is and whether the project's rolling minute has room.
 *
 * Both are asked of the database at every request, so that a rotated key ends and a limit holds at once on every
 * instance; concurrent requests share one statement each.
 */
import type { Context } from '../context.js';
import { createBatcher } from '../db/batcher.js';
import { findProjectsByKeys, takeRequests, type Allowance, type ProjectRef } from '../db/admission.js';
import { hashSecret } from '../domain/projects/keys.js';

export interface RateLimit {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds. */
  reset: number;
}

export interface Admission {
  /** The project of an API key, or null when there is no such key. */
  projectOfKey(key: string): Promise<ProjectRef | null>;
  /** Takes one request out of the project's minute. */
  take(projectId: string): Promise<RateLimit>;
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

  const take = createBatcher<string, RateLimit>({
    max: 500,
    // One at a time: a second batch would wait for the first one's lock on the project anyway.
    parallel: 1,
    async run(projectIds) {
      const counts = new Map<string, number>();
      for (const id of projectIds) counts.set(id, (counts.get(id) ?? 0) + 1);
      const projects = [...counts.keys()].sort();
      const allowances = await takeRequests(
        pool,
        projects,
        projects.map((id) => counts.get(id) ?? 0),
        limit,
      );
      const left = new Map<string, Allowance>(
        allowances.map((allowance) => [
          allowance.projectId,
          { ...allowance, remaining: allowance.remaining + allowance.granted },
        ]),
      );
      return projectIds.map((id) => {
        const allowance = left.get(id);
        if (!allowance) throw new Error('The rate limit knows no such project');
        const { reset } = allowance;
        if (allowance.granted === 0) return { allowed: false, limit, remaining: 0, reset };
        allowance.granted--;
        allowance.remaining--;
        return { allowed: true, limit, remaining: allowance.remaining, reset };
      });
    },
  });

  return { projectOfKey, take };
}
