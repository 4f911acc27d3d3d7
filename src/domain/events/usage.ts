/** References to an event name, and the deletion of all events with it. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { forgetExpiredEvents } from './sql/days.js';
import {
  campaignsWithEvent,
  countEventUse,
  databaseNow,
  deleteEventsStep,
  segmentsWithEvent,
  workflowsWithEvent,
  type DeletedUpTo,
  type NamedRef,
} from './sql/usage.js';
import { conflict } from '../../errors.js';
import { isReservedEvent } from './name.js';

/** Events per transaction. */
const STEP = 5000;

interface EventReferences {
  usedInSegments: NamedRef[];
  /** Beyond the contract: campaigns whose audience is not yet fixed. */
  usedInCampaigns: NamedRef[];
  usedInWorkflows: NamedRef[];
}

export interface EventUsage extends EventReferences {
  totalCount: number;
  uniqueContacts: number;
  /** Neither reserved nor used. */
  canDelete: boolean;
}

async function references({ pool }: Context, projectId: string, name: string): Promise<EventReferences> {
  const [usedInSegments, usedInCampaigns, usedInWorkflows] = await Promise.all([
    segmentsWithEvent(pool, projectId, name),
    campaignsWithEvent(pool, projectId, name),
    workflowsWithEvent(pool, projectId, name),
  ]);
  return { usedInSegments, usedInCampaigns, usedInWorkflows };
}

const isUsed = ({ usedInSegments, usedInCampaigns, usedInWorkflows }: EventReferences): boolean =>
  usedInSegments.length + usedInCampaigns.length + usedInWorkflows.length > 0;

/** Returns the references to a name. A name can have references before its first event. */
export async function eventUsage(ctx: Context, projectId: string, name: string): Promise<EventUsage> {
  const [refs, counts] = await Promise.all([
    references(ctx, projectId, name),
    countEventUse(ctx.pool, projectId, name),
  ]);
  return { ...refs, ...counts, canDelete: !isReservedEvent(name) && !isUsed(refs) };
}

/**
 * Deletes all events of a name that exist when the call starts, in short transactions. If it is interrupted, a second
 * call deletes the rest.
 *
 * @throws CONFLICT (409) if the name is reserved, or if a segment, a campaign, or a workflow refers to it
 */
export async function deleteEvents(ctx: Context, projectId: string, name: string): Promise<{ deletedCount: number }> {
  if (isReservedEvent(name)) throw conflict('Events of this name are written by the service and can not be deleted.');
  const refs = await references(ctx, projectId, name);
  if (isUsed(refs))
    throw conflict('Events of this name are used. Remove the references first.', { details: { ...refs } });
  const until = await databaseNow(ctx.pool);
  let deletedCount = 0;
  let after: DeletedUpTo | null = null;
  for (;;) {
    const step: Awaited<ReturnType<typeof deleteEventsStep>> = await deleteEventsStep(ctx.pool, projectId, name, {
      after,
      until,
      limit: STEP,
    });
    deletedCount += step.deleted;
    if (step.upTo === null) break;
    after = step.upTo;
  }
  await transaction(ctx.pool, (tx) => forgetExpiredEvents(tx, projectId, name));
  return { deletedCount };
}
