/**
 * Settles the emails without a campaign that a lost worker had claimed: records the results in its journal, and releases the
 * emails that it did not hand over. Those whose outcome is unknown are left to liveness.ts.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { settle } from '../emails/sql/delivery.js';
import { selectClaimed } from '../emails/sql/liveness.js';
import { decideLost, releaseClaimed, toDeliveryResult } from './decide.js';
import { numberOfClaim, parseClaim, type JournaledResult } from './journal.js';
import type { RecoveryOptions, WorkerFolder } from './recover.js';

/**
 * Settles the claims of a worker whose process is dead, or that wrote no heartbeat for the duration of a lease: a claim is
 * valid for less time (dispatcher.ts), so it hands over none of these emails any more.
 */
export async function settleClaims(
  { pool, log, policy, leaseMs }: RecoveryOptions,
  folder: WorkerFolder,
): Promise<void> {
  const claimed = await selectClaimed(pool, folder.workerId, folder.liveness === 'dead' ? 0 : leaseMs);
  if (claimed.length === 0) return;
  const records = await readClaims(folder);
  const inDoubt = new Set<string>();
  const results = claimed.flatMap(({ id, claimId, attempts }) => {
    const record = records.get(id);
    if (record === 'in doubt') {
      inDoubt.add(claimId);
      return [];
    }
    return record ? toDeliveryResult(id, decideLost(record, attempts, policy)) : releaseClaimed(id, 0);
  });
  if (results.length === 0) return;
  const ended = claimed.map(({ claimId }) => claimId).filter((id) => !inDoubt.has(id));
  const settled = await settle(pool, folder.workerId, results, [...new Set(ended)]);
  log.warn(
    { lostClaims: folder.workerId, claimed: claimed.length, settled: settled.length },
    'A worker was lost while it sent emails. Those that were not in flight were settled',
  );
}

/** Returns what the journal has about emails that were handed over. */
async function readClaims(folder: WorkerFolder): Promise<Map<string, JournaledResult | 'in doubt'>> {
  const files = (await readdir(folder.path)).filter((name) => numberOfClaim(name) !== null);
  // An email that was released can be in two claims. The later one counts.
  files.sort((a, b) => (numberOfClaim(a) ?? 0) - (numberOfClaim(b) ?? 0));
  const claims = await Promise.all(files.map(async (file) => parseClaim(await readFile(path.join(folder.path, file)))));
  const records = new Map<string, JournaledResult | 'in doubt'>();
  for (const { ids, handedOver, results } of claims) {
    for (const [position, id] of ids.entries()) {
      const record = results.get(position) ?? (handedOver.has(position) ? 'in doubt' : undefined);
      if (record) records.set(id, record);
      else records.delete(id);
    }
  }
  return records;
}
