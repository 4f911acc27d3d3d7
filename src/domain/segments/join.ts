/** Adds many contacts to a static segment in parts, each in the caller's transaction. */
import type { PoolClient } from 'pg';
import { insertEvents } from '../events/insert.js';
import { membershipEvents } from './compute.js';
import { deleteList } from './sql/lists.js';
import { addMembers } from './sql/members.js';
import { addRechecks } from './sql/rechecks.js';
import { addToMemberCount, lockSegment } from './sql/segments.js';

/**
 * Adds locked contacts. The member count grows by the number of new members instead of being counted for each part.
 *
 * @returns the number of new members; null if the segment no longer exists or is no longer static
 */
export async function joinStaticSegment(
  tx: PoolClient,
  projectId: string,
  segmentId: string,
  contactIds: string[],
): Promise<number | null> {
  const segment = await lockSegment(tx, projectId, segmentId);
  if (segment?.type !== 'STATIC') return null;
  const added = await addMembers(tx, projectId, segmentId, contactIds);
  if (added.length === 0) return 0;
  if (segment.trackMembership) await insertEvents(tx, membershipEvents(segment, 'entry', added));
  await addRechecks(tx, projectId, added);
  await addToMemberCount(tx, segmentId, added.length);
  await deleteList(tx, segmentId);
  return added.length;
}
