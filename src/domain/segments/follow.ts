/**
 * Follows changes: a worker checks the membership of contacts that changed, or that have new events, in the tracked
 * segments of their project, and writes entry and exit events. Triggers log these contacts (src/db/functions).
 *
 * Some conditions change their result without a logged change: with the time, with the retention of events, and with
 * another segment's condition. The task `segments` computes such segments as a whole (compute.ts).
 */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { transaction } from '../../db/pool.js';
import { ApiError } from '../../errors.js';
import { startLoop, type Loop } from '../../loop.js';
import { contactsWhere } from '../conditions/sql/conditions.js';
import { resolveStored } from '../conditions/resolve.js';
import { writeMembership } from './compute.js';
import { membershipChangesOf } from './sql/members.js';
import {
  discardRechecks,
  lockTrackedSegments,
  projectsWithRechecks,
  takeRechecks,
  tryLockRechecks,
} from './sql/rechecks.js';
import { recountMembers, type SegmentRow } from './sql/segments.js';

const POLL_MS = 2000;
/** Logged contacts of one transaction. */
const RECHECK_BATCH_SIZE = 5000;

/** A segment is locked by a compute, or a deadlock was resolved: the contacts stay in the log until the next poll. */
const LOCKED = new Set(['55P03', '40P01']);

/** Starts the loop. Stopping it waits for the transaction in progress. */
export function startSegmentFollower(ctx: Context): Loop {
  return startLoop({
    everyMs: POLL_MS,
    runTurn: (signal) => followChanges(ctx, signal),
    failed: (error) => ctx.log.warn({ err: error }, 'Segments: logged contacts could not be checked'),
  });
}

/** Checks all logged contacts of all projects. */
export async function followChanges(ctx: Context, signal?: AbortSignal): Promise<void> {
  for (const projectId of await projectsWithRechecks(ctx.pool)) {
    const changed = new Set<string>();
    try {
      let hasMore = true;
      while (hasMore) hasMore = (await recheckBatch(ctx, projectId, changed)) && signal?.aborted !== true;
    } catch (error) {
      if (!LOCKED.has(sqlState(error) ?? '')) throw error;
    }
    await recountMembers(ctx.pool, [...changed]);
  }
}

/** Adds the ids of segments whose members changed to `changed`. @returns whether the log may have more rows */
async function recheckBatch(ctx: Context, projectId: string, changed: Set<string>): Promise<boolean> {
  return transaction(ctx.pool, async (tx) => {
    if (!(await tryLockRechecks(tx, projectId))) return false;
    const segments = await lockTrackedSegments(tx, projectId);
    if (segments.length === 0) {
      await discardRechecks(tx, projectId);
      return false;
    }
    const logged = await takeRechecks(tx, projectId, RECHECK_BATCH_SIZE);
    const contactIds = [...new Set(logged)];
    for (const segment of segments) if (await recheckContacts(ctx, tx, segment, contactIds)) changed.add(segment.id);
    return logged.length === RECHECK_BATCH_SIZE;
  });
}

/** @returns whether members were added or removed */
async function recheckContacts(
  { log }: Context,
  tx: PoolClient,
  segment: SegmentRow,
  contactIds: string[],
): Promise<boolean> {
  const { id, projectId, condition } = segment;
  try {
    const clause = contactsWhere(projectId, await resolveStored(tx, condition, { projectId }), 'walk');
    const changes = await membershipChangesOf(tx, id, clause, contactIds);
    const { added, removed } = await writeMembership(tx, segment, changes);
    return added + removed > 0;
  } catch (error) {
    // The condition names a segment that no longer exists.
    if (!(error instanceof ApiError)) throw error;
    log.warn({ err: error, segmentId: id }, 'Segments: the condition of a tracked segment is invalid');
    return false;
  }
}
