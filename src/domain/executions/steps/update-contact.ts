/** UPDATE_CONTACT: writes literal values into the contact's data, and changes its subscription. */
import type { PoolClient } from 'pg';
import { transaction } from '../../../db/pool.js';
import { fitsContact, readContactData } from '../../contacts/data.js';
import { changeContact, lockContact, type ContactRow } from '../../contacts/sql/rows.js';
import { insertEvents, subscriptionEvent } from '../../events/insert.js';
import type { SubscriptionAction, UpdateContactConfig } from '../../workflows/step-config.js';
import { completeStep, StepFault, type Run, type StepResult } from '../moves.js';
import type { Moved } from '../sql/move.js';
import type { ReachedStep } from '../sql/state.js';
import { contactUpdated, DATA_TOO_LARGE } from '../words.js';

/**
 * Commits the contact, the event of a changed subscription, and the move together. A repeated call finds another
 * current step and changes nothing.
 */
export async function updateContact(
  run: Run,
  step: ReachedStep,
  { updates, subscriptionAction }: UpdateContactConfig,
): Promise<StepResult> {
  const { projectId, contactId, executionId } = run;
  const { set, unset } = readContactData(updates);
  return rollBackIfLost(() =>
    transaction(run.ctx.pool, async (tx) => {
      const contact = await lockContact(tx, projectId, contactId);
      // The contact was deleted, and the execution with it.
      if (!contact) return { kind: 'lost' };
      const subscribed = wantedSubscription(subscriptionAction) ?? contact.subscribed;
      const flip = subscribed === contact.subscribed ? null : subscribed ? 'subscribed' : 'unsubscribed';
      const endsSnooze = subscriptionAction !== 'none';
      const changed = await writeContact(tx, run, contact, { subscribed, endsSnooze, set, unset });
      const output = {
        summary: contactUpdated(changed ? Object.keys(set) : [], changed ? unset : [], flip),
        set: Object.keys(set),
        removed: unset,
        ...(flip && { subscribed }),
      };
      // The move comes before the event, because the event can start this workflow again for this contact.
      const moved = await completeStep(run, step, { output }, tx);
      if (moved.kind === 'lost') throw new MoveLost();
      if (flip)
        await insertEvents(tx, [subscriptionEvent(projectId, contactId, subscribed, 'workflow', { executionId })]);
      return moved;
    }),
  );
}

const wantedSubscription = (action: SubscriptionAction): boolean | null =>
  action === 'none' ? null : action === 'subscribe';

interface ContactChange {
  subscribed: boolean;
  endsSnooze: boolean;
  set: Record<string, unknown>;
  unset: string[];
}

/** @returns whether the contact has changed */
async function writeContact(
  tx: PoolClient,
  { projectId }: Run,
  { id, email, snoozedUntil }: ContactRow,
  { subscribed, endsSnooze, set, unset }: ContactChange,
): Promise<boolean> {
  const changed = await changeContact(tx, {
    projectId,
    id,
    email,
    subscribed,
    snoozedUntil: endsSnooze ? null : snoozedUntil,
    set,
    unset,
  });
  if (changed && Object.keys(set).length > 0 && !fitsContact(changed.dataKeys, changed.dataBytes))
    throw new StepFault(DATA_TOO_LARGE);
  return changed !== undefined;
}

/** Rolls the transaction back because the step is no longer the current one. */
class MoveLost extends Error {}

async function rollBackIfLost(work: () => Promise<Moved>): Promise<Moved> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MoveLost) return { kind: 'lost' };
    throw error;
  }
}
