/**
 * A recipient's own hand on the subscription: by the links of an email, and by a mailbox provider's one-click (RFC
 * 8058).
 */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { insertEvents, subscriptionEvent, type SubscriptionSource } from '../events/insert.js';
import { changeSubscription, type SubscriptionChange } from './sql/subscription.js';
import { deleteSuppressionOfReader } from '../suppressions/sql.js';
import type { LinkTarget } from '../../mail/links.js';

export interface Subscriber {
  id: string;
  email: string;
  subscribed: boolean;
  snoozedUntil: Date | null;
  /** The name of the project that mails this contact. */
  sender: string;
  /** The project's language tag. */
  language: string;
}

/** The contact of a link; null when it was deleted. */
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

/** Also ends a break for good. @returns the contact as it is then; null when it was deleted */
export const unsubscribeByLink = (
  ctx: Context,
  target: LinkTarget,
  source: 'page' | 'one_click',
): Promise<Subscriber | null> => change(ctx, target, { subscribed: false, snoozedUntil: null }, source);

/**
 * The reader's own word also lifts what was said of the address in the reader's name, by a bounce or a complaint, if
 * the link was in an email to it.
 *
 * @returns the contact as it is then; null when it was deleted
 */
export const subscribeByLink = (ctx: Context, target: LinkTarget): Promise<Subscriber | null> =>
  change(ctx, target, { subscribed: true, snoozedUntil: null }, 'page');

/**
 * Unsubscribes for some days (contract, section 3, "Snooze"); one that has left already stays away. @returns the
 * contact as it is then; null when it was deleted
 */
export const snoozeByLink = (ctx: Context, target: LinkTarget, days: number): Promise<Subscriber | null> =>
  change(ctx, target, { subscribed: false, snoozedUntil: new Date(Date.now() + days * 24 * 3600 * 1000) }, 'page');

/** The event is written with the flip, and by a flip only: a link that is used twice has one event. */
async function change(
  ctx: Context,
  { contactId, emailId }: LinkTarget,
  change: SubscriptionChange,
  source: SubscriptionSource,
): Promise<Subscriber | null> {
  await transaction(ctx.pool, async (tx) => {
    const changed = await changeSubscription(tx, contactId, change);
    if (change.subscribed && emailId) await deleteSuppressionOfReader(tx, contactId, emailId);
    if (!changed?.flipped) return;
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
