/** Tracked membership: computes the members of a dynamic segment as a whole, with an event for each entry and exit. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { prepareWideQuery } from '../../db/wide-query.js';
import { ApiError, badRequest, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { resolveStored } from '../conditions/resolve.js';
import { contactsWhere } from '../conditions/sql/conditions.js';
import { dependsOnMore } from '../conditions/tree.js';
import { validateCondition } from '../conditions/validate.js';
import { insertEvents, type NewEvent } from '../events/insert.js';
import { retryDeadlocks } from '../lock-timeout.js';
import {
  addMembers,
  lockContacts,
  markComputed,
  membershipChanges,
  removeMembers,
  selectTrackedSegments,
  type MembershipChange,
  type TrackedSegment,
} from './sql/members.js';
import { countMembers, lockSegment, type SegmentRow } from './sql/segments.js';

/** Contacts that are written together. */
const WRITE_BATCH_SIZE = 10_000;
/** The sweep computes every tracked segment this often, even if nothing suggests that its members have changed. */
const MAX_COMPUTE_AGE_MS = 3_600_000;

export interface ComputedSegment {
  added: number;
  removed: number;
  total: number;
}

/**
 * Brings the members of a tracked dynamic segment up to date. Writes `segment.<slug>.entry` for each new member and
 * `segment.<slug>.exit` for each former one, in the transaction of the membership. Concurrent calls take turns, so each
 * entry and exit has one event.
 *
 * @throws SEGMENT_NOT_FOUND (404), BAD_REQUEST (400: static, not tracked, or its condition names a segment that does not
 * exist)
 */
export async function computeSegment({ pool }: Context, projectId: string, id: string): Promise<ComputedSegment> {
  if (!isId(id)) throw notFound('SEGMENT');
  // Bulk deletions lock contacts in another order.
  return retryDeadlocks(() => transaction(pool, (tx) => computeLocked(tx, projectId, id)));
}

async function computeLocked(tx: PoolClient, projectId: string, id: string): Promise<ComputedSegment> {
  const segment = await lockSegment(tx, projectId, id);
  if (!segment) throw notFound('SEGMENT');
  if (segment.type === 'STATIC')
    throw badRequest('A static segment has nothing to compute. Its members are added and removed through the API.');
  if (!segment.trackMembership)
    throw badRequest('The membership of this segment is not tracked. Set trackMembership first.');
  await prepareWideQuery(tx);
  const clause = contactsWhere(projectId, await resolveStored(tx, segment.condition, { projectId }));
  const result = { added: 0, removed: 0 };
  for await (const changes of membershipChanges(tx, id, clause, WRITE_BATCH_SIZE)) {
    const { added, removed } = await writeMembership(tx, segment, changes);
    result.added += added;
    result.removed += removed;
  }
  const total = await countMembers(tx, id);
  await markComputed(tx, id, total);
  return { ...result, total };
}

/** Writes changes of a locked segment's membership, with their events. */
export async function writeMembership(
  tx: PoolClient,
  segment: SegmentRow,
  changes: MembershipChange[],
): Promise<{ added: number; removed: number }> {
  if (changes.length === 0) return { added: 0, removed: 0 };
  const { id, projectId } = segment;
  // Contacts that are being deleted lose their membership with the deletion. The lock keeps the others from being deleted.
  const locked = await lockContacts(
    tx,
    projectId,
    changes.map(({ contactId }) => contactId),
  );
  const present = changes.filter(({ contactId }) => locked.has(contactId));
  const idsOf = (joins: boolean): string[] =>
    present.filter((change) => change.joins === joins).map(({ contactId }) => contactId);
  const added = await addMembers(tx, projectId, id, idsOf(true));
  const removed = await removeMembers(tx, id, idsOf(false));
  await insertEvents(tx, [...membershipEvents(segment, 'entry', added), ...membershipEvents(segment, 'exit', removed)]);
  return { added: added.length, removed: removed.length };
}

/** The events of entering or leaving a segment. */
export const membershipEvents = (
  { id, projectId, name, slug }: SegmentRow,
  kind: 'entry' | 'exit',
  contactIds: string[],
): NewEvent[] =>
  contactIds.map((contactId) => ({
    projectId,
    contactId,
    name: `segment.${slug}.${kind}`,
    data: { segmentId: id, segmentName: name },
  }));

/**
 * The sweep over the tracked segments of all projects: computes, in one transaction each, those that following the
 * changed contacts (follow.ts) does not keep up to date. A segment that fails does not stop the others.
 */
export async function computeTrackedSegments(ctx: Context): Promise<void> {
  for (const segment of await selectTrackedSegments(ctx.pool)) {
    try {
      if (needsCompute(segment)) await computeSegment(ctx, segment.projectId, segment.id);
    } catch (error) {
      // It was deleted or untracked meanwhile, or its condition is invalid: the next round tries again.
      if (!(error instanceof ApiError)) throw error;
      ctx.log.warn({ err: error, segmentId: segment.id }, 'Segments: a tracked segment was not computed');
    }
  }
}

/**
 * Whether the members may have changed without a change of a contact: since the segment is new or was changed, with the
 * time, or with another segment. The hourly compute finds the rest, such as events removed by retention.
 */
function needsCompute({ computedAt, updatedAt, condition }: TrackedSegment): boolean {
  return (
    computedAt === null ||
    updatedAt > computedAt ||
    computedAt.getTime() < Date.now() - MAX_COMPUTE_AGE_MS ||
    dependsOnMore(validateCondition(condition, 'condition'))
  );
}
