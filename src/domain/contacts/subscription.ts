/** Subscription changes by the recipient: by the links in an email, and by one-click unsubscribe (RFC 8058). */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { insertEvents, subscriptionEvent, type SubscriptionSource } from '../events/insert.js';
import { changeSubscription, storeUnsubscribe, type SubscriptionChange } from './sql/subscription.js';
import { deleteSuppressionOfReader } from '../suppressions/sql.js';
import type { LinkTarget } from '../../mail/links.js';

export interface Subscriber {
  id: string;
  email: string;
  subscribed: boolean;
  snoozedUntil: Date | null;
  /** The name of the sending project. */
  sender: string;
  /** The project's language tag. */
  language: string;
}

/** Returns the contact of a link, or null if it was deleted. */
export async function findSubscriber({ prisma }: Context, contactId: string): Promise<Subscriber | null> {
  const row = await prisma.contact.findUnique({
    where: { id: contactId },
    select: {
      id: true,
      email: true,
      subscribed: true,
      snoozedUntil: true,
      project: { select: { name: true, language: true } },
    },
  });
  if (!row) return null;
  const { project, ...contact } = row;
  return { ...contact, sender: project.name, language: project.language };
}

/** Unsubscribes a contact and ends its snooze. @returns the updated contact, or null if it was deleted */
export const unsubscribeByLink = (
  ctx: Context,
  target: LinkTarget,
  source: 'page' | 'one_click',
): Promise<Subscriber | null> => applyByLink(ctx, target, { subscribed: false, snoozedUntil: null }, source);

/**
 * Subscribes a contact. If the link was in an email to its address, this also removes the suppression of the address after
 * a bounce or complaint.
 *
 * @returns the updated contact, or null if it was deleted
 */
export const subscribeByLink = (ctx: Context, target: LinkTarget): Promise<Subscriber | null> =>
  applyByLink(ctx, target, { subscribed: true, snoozedUntil: null }, 'page');

/**
 * Unsubscribes a contact for some days (contract, section 3, "Snooze"). A contact that is already unsubscribed does not
 * change. @returns the updated contact, or null if it was deleted
 */
export const snoozeByLink = (ctx: Context, target: LinkTarget, days: number): Promise<Subscriber | null> =>
  applyByLink(ctx, target, { subscribed: false, snoozedUntil: new Date(Date.now() + days * 24 * 3600 * 1000) }, 'page');

/** Writes an event only if the subscription changes: a link that is used twice has one event. */
async function applyByLink(
  ctx: Context,
  { contactId, emailId }: LinkTarget,
  change: SubscriptionChange,
  source: SubscriptionSource,
): Promise<Subscriber | null> {
  await transaction(ctx.pool, async (tx) => {
    const changed = await changeSubscription(tx, contactId, change);
    if (change.subscribed && emailId) await deleteSuppressionOfReader(tx, contactId, emailId);
    if (!changed?.flipped) return;
    if (!change.subscribed && emailId) await storeUnsubscribe(tx, changed.projectId, emailId);
    const extra = {
      ...(emailId && { emailId }),
      ...(change.snoozedUntil && { snoozedUntil: change.snoozedUntil.toISOString() }),
    };
    await insertEvents(tx, [
      { ...subscriptionEvent(changed.projectId, contactId, change.subscribed, source, extra), emailId },
    ]);
  });
  return findSubscriber(ctx, contactId);
}
