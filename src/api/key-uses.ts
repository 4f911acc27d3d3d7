/** Records the last use of API keys, for the setup of a project. */
import type { ApiContext } from '../context.js';
import { recordKeyUse, type KeyKind } from '../db/admission.js';

/** Uses of a key within this time are recorded once by each process. */
const RECORD_INTERVAL_MS = 60_000;
const MAX_REMEMBERED_KEYS = 10_000;

export interface KeyUse {
  projectId: string;
  kind: KeyKind;
  /** Identifies the key, so that the first use of a regenerated key is recorded immediately. */
  key: string;
}

/** Returns a function that records a use. It never delays or fails a request. */
export function createKeyUses({ pool, log }: Pick<ApiContext, 'pool' | 'log'>): (use: KeyUse) => void {
  const recordedAt = new Map<string, number>();
  return ({ projectId, kind, key }) => {
    const now = performance.now();
    const last = recordedAt.get(key);
    if (last !== undefined && now - last < RECORD_INTERVAL_MS) return;
    if (recordedAt.size >= MAX_REMEMBERED_KEYS) recordedAt.clear();
    recordedAt.set(key, now);
    recordKeyUse(pool, projectId, kind).catch((error: unknown) => {
      recordedAt.delete(key);
      log.debug({ err: error }, 'API: could not record the use of a key');
    });
  };
}
