/** Creating, updating, and deleting segments. */
import type { Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { transaction } from '../../db/pool.js';
import { removeAllMembers } from './sql/members.js';
import {
  activeCampaignsOf,
  deleteSegmentRow,
  insertSegment,
  lockSegment,
  lockSegmentGraph,
  segmentsThatName,
  slugsLike,
  updateSegmentRow,
  workflowsThatName,
} from './sql/segments.js';
import { conflict, notFound, type ApiError } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { resolveCondition } from '../conditions/resolve.js';
import { eventsNamedIn } from '../conditions/tree.js';
import { validateCondition } from '../conditions/validate.js';
import { requireRevision, type ExpectedRevisions } from '../revisions.js';
import { getSegment, refreshSegment, toSegment, type Segment } from './get.js';
import { freeSlug, slugOf } from './slug.js';

export interface SegmentInput {
  name: string;
  description?: string | null;
  type: 'DYNAMIC' | 'STATIC';
  /** Required for a dynamic segment, ignored for a static one. */
  condition?: unknown;
  trackMembership: boolean;
}

/**
 * Creates a segment and counts its contacts.
 *
 * @throws VALIDATION_ERROR (422) with the place of each error in the condition; BAD_REQUEST (400) if it names a segment
 * that does not exist
 */
export async function createSegment(
  ctx: Context,
  projectId: string,
  { name, description, type, condition, trackMembership }: SegmentInput,
): Promise<Segment> {
  const id = newId();
  const tree = type === 'DYNAMIC' ? validateCondition(condition, 'condition') : null;
  const segment = await transaction(ctx.pool, async (tx) => {
    // The lock also keeps two segments with the same name from getting the same slug.
    await lockSegmentGraph(tx, projectId);
    if (tree) await resolveCondition(tx, tree, { projectId, self: { id, name } });
    const base = slugOf(name);
    const slug = freeSlug(base, await slugsLike(tx, projectId, base));
    return insertSegment(tx, {
      id,
      projectId,
      name,
      description: description ?? null,
      slug,
      type,
      condition: tree,
      eventNames: tree && eventsNamedIn(tree),
      trackMembership,
    });
  });
  if (!tree) return toSegment(segment);
  return { ...toSegment(segment), ...(await refreshSegment(ctx, projectId, id)) };
}

export interface SegmentPatch {
  name?: string;
  description?: string | null;
  /** Ignored for a static segment. */
  condition?: unknown;
  trackMembership?: boolean;
}

/**
 * Updates the given fields. The slug stays, and with it the names of the events. With a new condition, a tracked segment
 * gets its entry and exit events at the next compute. A segment that is no longer tracked loses its members, without
 * events.
 *
 * @throws SEGMENT_NOT_FOUND (404), PRECONDITION_FAILED (412, another revision), the errors of createSegment, BAD_REQUEST
 * (400) if segments would name each other in a cycle
 */
export async function updateSegment(
  ctx: Context,
  projectId: string,
  id: string,
  patch: SegmentPatch,
  expected: ExpectedRevisions = null,
): Promise<Segment> {
  const { type } = await getSegment(ctx, projectId, id);
  const tree =
    type === 'DYNAMIC' && patch.condition !== undefined ? validateCondition(patch.condition, 'condition') : undefined;
  const updated = await transaction(ctx.pool, async (tx) => {
    if (tree) await lockSegmentGraph(tx, projectId);
    const before = await lockSegment(tx, projectId, id);
    if (!before) throw notFound('SEGMENT');
    requireRevision(before.revision, expected);
    const { name = before.name, description = before.description, trackMembership = before.trackMembership } = patch;
    if (tree) await resolveCondition(tx, tree, { projectId, self: { id, name } });
    if (type === 'DYNAMIC' && before.trackMembership && !trackMembership) await removeAllMembers(tx, id);
    const { condition, eventNames } = tree ? { condition: tree, eventNames: eventsNamedIn(tree) } : before;
    return updateSegmentRow(tx, id, { name, description, trackMembership, condition, eventNames });
  });
  if (!tree) return toSegment(updated);
  return { ...toSegment(updated), ...(await refreshSegment(ctx, projectId, id)) };
}

/**
 * Deletes a segment and its memberships, without events.
 *
 * @throws SEGMENT_NOT_FOUND (404); PRECONDITION_FAILED (412, another revision); CONFLICT (409) while a scheduled or sending campaign, another segment, or a workflow's
 * CONDITION step uses it
 */
export async function deleteSegment(
  { pool }: Context,
  projectId: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  if (!isId(id)) throw notFound('SEGMENT');
  try {
    await transaction(pool, async (tx) => {
      await lockSegmentGraph(tx, projectId);
      const segment = await lockSegment(tx, projectId, id);
      if (!segment) throw notFound('SEGMENT');
      requireRevision(segment.revision, expected);
      const campaigns = await activeCampaignsOf(tx, projectId, id);
      if (campaigns.length > 0) throw inActiveCampaign({ campaigns });
      const segments = await segmentsThatName(tx, projectId, id);
      if (segments.length > 0)
        throw conflict('The conditions of other segments name this segment. Change them first.', {
          details: { segments },
        });
      const workflows = await workflowsThatName(tx, projectId, id);
      if (workflows.length > 0)
        throw conflict('CONDITION steps of workflows name this segment. Change or delete them first.', {
          details: { workflows },
        });
      await deleteSegmentRow(tx, projectId, id);
    });
  } catch (error) {
    // A campaign became active after the check.
    if (sqlState(error) === '23503') throw inActiveCampaign({});
    throw error;
  }
}

const inActiveCampaign = (details: Record<string, unknown>): ApiError =>
  conflict('The segment is the audience of a scheduled or sending campaign. Cancel the campaign first.', {
    details,
  });
