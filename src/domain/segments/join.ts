/** Adds many contacts to a static segment, or removes them, in parts, each in the caller's transaction. */
import type { PoolClient } from 'pg';
import { insertEvents } from '../events/insert.js';
import { membershipEvents } from './compute.js';
import { deleteList } from './sql/lists.js';
import { addMembers, removeMembers } from './sql/members.js';
import { addRechecks } from './sql/rechecks.js';
import { addToMemberCount, lockSegment } from './sql/segments.js';

/**
 * Adds locked contacts. The member count grows by the number of new members instead of being counted for each part.
 *
 * @returns the ids of the new members; null if the segment no longer exists or is no longer static
 */
export async function joinStaticSegment(
  tx: PoolClient,
  projectId: string,
  segmentId: string,
  contactIds: string[],
): Promise<string[] | null> {
  const segment = await lockSegment(tx, projectId, segmentId);
  if (segment?.type !== 'STATIC') return null;
  const added = await addMembers(tx, projectId, segmentId, contactIds);
  if (added.length === 0) return [];
  if (segment.trackMembership) await insertEvents(tx, membershipEvents(segment, 'entry', added));
  await addRechecks(tx, projectId, added);
  await addToMemberCount(tx, segmentId, added.length);
  await deleteList(tx, segmentId);
  return added;
}

/**
 * Removes locked contacts, like joinStaticSegment.
 *
 * @returns the ids of the former members; null if the segment no longer exists or is no longer static
 */
export async function leaveStaticSegment(
  tx: PoolClient,
  projectId: string,
  segmentId: string,
  contactIds: string[],
): Promise<string[] | null> {
  const segment = await lockSegment(tx, projectId, segmentId);
  if (segment?.type !== 'STATIC') return null;
  const removed = await removeMembers(tx, segmentId, contactIds);
  if (removed.length === 0) return [];
  if (segment.trackMembership) await insertEvents(tx, membershipEvents(segment, 'exit', removed));
  await addRechecks(tx, projectId, removed);
  await addToMemberCount(tx, segmentId, -removed.length);
  await deleteList(tx, segmentId);
  return removed;
}
