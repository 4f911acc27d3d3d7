/** Tracked membership: who has joined and left a dynamic segment since the last look, with an event for each. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { sqlState, transaction } from '../../db/pool.js';
import { contactsWhere } from '../conditions/sql/conditions.js';
import { insertEvents, type NewEvent } from '../events/insert.js';
import {
  addMembers,
  holdContacts,
  markComputed,
  membershipChanges,
  removeMembers,
  trackedSegments,
  type MembershipChange,
} from './sql/members.js';
import { countMembers, lockSegment, selectSegments, type SegmentRow } from './sql/segments.js';
import { prepareWideQuery } from '../../db/wide-query.js';
import { ApiError, badRequest, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { answered } from '../columns/find.js';
import { membershipByColumns, type MembershipDifference } from '../columns/membership.js';
import { contactsOf } from './get.js';

/** Contacts that are written at once. */
const PAGE = 10_000;
const ATTEMPTS = 5;

export interface ComputedSegment {
  added: number;
  removed: number;
  total: number;
}

/**
 * Brings the members of a tracked dynamic segment up to date: `segment.<slug>.entry` for whoever has joined,
 * `segment.<slug>.exit` for whoever has left, in the transaction of the membership. Concurrent calls take turns, so
 * that each entry and exit has one event.
 *
 * @throws SEGMENT_NOT_FOUND (404), BAD_REQUEST (400: static, not tracked, or its condition names a segment that is
 * gone)
 */
export async function computeSegment(ctx: Context, projectId: string, id: string): Promise<ComputedSegment> {
  if (!isId(id)) throw notFound('SEGMENT');
  for (let attempt = 1; ; attempt++) {
    try {
      const known = await lookAhead(ctx, projectId, id);
      return await transaction(ctx.pool, (tx) => compute(tx, projectId, id, known));
    } catch (error) {
      // Contacts that are deleted many at a time are locked in an order of their own.
      if (sqlState(error) !== '40P01' || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The segment as it was, and how its members differed from its contacts. */
interface Known {
  segment: SegmentRow;
  difference: MembershipDifference;
}

/**
 * Asks the columns before the segment is locked: they need a transaction that sees one moment, and whoever waits for a
 * lock in such a one is too late.
 */
async function lookAhead(ctx: Context, projectId: string, id: string): Promise<Known | null> {
  const [segment] = await selectSegments(ctx.pool, projectId, id);
  if (!segment?.trackMembership || segment.type === 'STATIC') return null;
  return answered(ctx, projectId, async (tx) => {
    const difference = await membershipByColumns(
      { cache: ctx.columns, tx, projectId, predicate: await contactsOf(tx, segment) },
      id,
    );
    return { byColumns: difference !== null, answer: difference && { segment, difference } };
  });
}

/** Whether nobody has changed or computed the segment meanwhile. */
const isAsItWas = (now: SegmentRow, then: SegmentRow): boolean =>
  Number(now.updatedAt) === Number(then.updatedAt) && Number(now.computedAt) === Number(then.computedAt);

async function compute(tx: PoolClient, projectId: string, id: string, known: Known | null): Promise<ComputedSegment> {
  const segment = await lockSegment(tx, projectId, id);
  if (!segment) throw notFound('SEGMENT');
  if (segment.type === 'STATIC')
    throw badRequest('A static segment has nothing to compute: its members are added and removed by hand.');
  if (!segment.trackMembership)
    throw badRequest('The membership of this segment is not tracked. Set trackMembership first.');
  const result = { added: 0, removed: 0 };
  for await (const changes of known && isAsItWas(segment, known.segment)
    ? known.difference.pages(PAGE)
    : await differences(tx, segment)) {
    // A contact that is being deleted takes its membership along; the others can't be deleted before this transaction
    // ends.
    const held = await holdContacts(
      tx,
      projectId,
      changes.map(({ contactId }) => contactId),
    );
    const [joining, leaving] = [true, false].map((joins) =>
      changes
        .filter((change) => change.joins === joins && held.has(change.contactId))
        .map(({ contactId }) => contactId),
    );
    const added = await addMembers(tx, projectId, id, joining ?? []);
    const removed = await removeMembers(tx, id, leaving ?? []);
    await insertEvents(tx, [
      ...membershipEvents(segment, 'entry', added),
      ...membershipEvents(segment, 'exit', removed),
    ]);
    result.added += added.length;
    result.removed += removed.length;
  }
  const total = await countMembers(tx, id);
  await markComputed(tx, id, total);
  return { ...result, total };
}

/** By PostgreSQL alone. */
async function differences(tx: PoolClient, segment: SegmentRow): Promise<AsyncGenerator<MembershipChange[]>> {
  await prepareWideQuery(tx);
  return membershipChanges(tx, segment.id, contactsWhere(segment.projectId, await contactsOf(tx, segment)), PAGE);
}

/** The events of joining or leaving a segment. */
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
 * Computes all tracked segments of all projects, one transaction each. One that can't be computed stops none of the
 * others.
 */
export async function computeTrackedSegments(ctx: Context): Promise<void> {
  for (const { id, projectId } of await trackedSegments(ctx.pool)) {
    try {
      await computeSegment(ctx, projectId, id);
    } catch (error) {
      // Deleted or untracked since it was listed, or with a condition that can't be answered: the next round sees it
      // again.
      if (!(error instanceof ApiError)) throw error;
      ctx.log.warn({ err: error, segmentId: id }, 'A tracked segment was not computed');
    }
  }
}
