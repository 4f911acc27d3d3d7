/** UPDATE_CONTACT: literal values into the contact's data, by its rules, and its subscription. */
import type { PoolClient } from 'pg';
import { transaction } from '../../../db/pool.js';
import { changeContact, lockContact, type ContactRow } from '../../contacts/sql/rows.js';
import type { Moved, ReachedStep } from '../sql/run.js';
import { insertEvents, subscriptionEvent } from '../../events/sql/events.js';
import { fitsContact, readContactData } from '../../contacts/data.js';
import type { SubscriptionAction, UpdateContactConfig } from '../../workflows/step-config.js';
import { leave, StepFault, type Run, type StepResult } from '../moves.js';
import { updated } from '../words.js';

/**
 * The contact, the event of a real flip and the move are committed together: a repeat finds another step under way, and
 * flips nothing.
 */
export async function updateContact(
  run: Run,
  step: ReachedStep,
  { updates, subscriptionAction }: UpdateContactConfig,
): Promise<StepResult> {
  const { set, unset } = readContactData(updates);
  return unlessLost(() =>
    transaction(run.ctx.pool, async (tx) => {
      const contact = await lockContact(tx, run.projectId, run.contactId);
      // Gone with its executions.
      if (!contact) return null;
      const subscribed = wanted(subscriptionAction) ?? contact.subscribed;
      const flip = subscribed === contact.subscribed ? null : subscribed ? 'subscribed' : 'unsubscribed';
      const changed = await change(tx, run, contact, { subscribed, ends: subscriptionAction !== 'none', set, unset });
      const output = {
        summary: updated(changed ? Object.keys(set) : [], changed ? unset : [], flip),
        set: Object.keys(set),
        removed: unset,
        ...(flip && { subscribed }),
      };
      // Before the event: what it starts may be this workflow again, for this contact.
      const moved = await leave(run, step, { output }, tx);
      if (!moved) throw new Lost();
      if (flip)
        await insertEvents(tx, [
          subscriptionEvent(run.projectId, run.contactId, subscribed, 'workflow', { executionId: run.executionId }),
        ]);
      return moved;
    }),
  );
}

const wanted = (action: SubscriptionAction): boolean | null => (action === 'none' ? null : action === 'subscribe');

interface Change {
  subscribed: boolean;
  /** Whether the subscription is written, which ends a snooze. */
  ends: boolean;
  set: Record<string, unknown>;
  unset: string[];
}

async function change(
  tx: PoolClient,
  { projectId }: Run,
  { id, email, snoozedUntil }: ContactRow,
  { subscribed, ends, set, unset }: Change,
): Promise<boolean> {
  const changed = await changeContact(tx, {
    projectId,
    id,
    email,
    subscribed,
    snoozedUntil: ends ? null : snoozedUntil,
    set,
    unset,
  });
  if (changed && Object.keys(set).length > 0 && !fitsContact(changed.dataKeys, changed.dataBytes)) {
    throw new StepFault('The contact was not updated: its data would have more than 100 keys or 64 KiB.');
  }
  return changed !== undefined;
}

/** The step is no longer the one under way: what was changed is rolled back. */
class Lost extends Error {}

async function unlessLost(work: () => Promise<Moved>): Promise<Moved> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Lost) return null;
    throw error;
  }
}
