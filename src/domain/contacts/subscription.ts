/**
 * Subscription changes by the recipient: by the links in an email, by one-click unsubscribe (RFC 8058), and by a mail to
 * the address in `List-Unsubscribe`.
 */
import type { ApiContext } from '../../context.js';
import { transaction, type Queryable } from '../../db/pool.js';
import { insertEvents, subscriptionEvent, type SubscriptionSource } from '../events/insert.js';
import { changeSubscription, findRecipient, storeUnsubscribe, type SubscriptionChange } from './sql/subscription.js';
import { contactOfAddress } from '../executions/sql/send.js';
import { deleteSuppressionOfReader, findSuppression, suppressReader } from '../suppressions/sql.js';
import type { AddressTarget } from '../../mail/address-token.js';
import type { LinkTarget, MailedTarget } from '../../mail/links.js';

export interface Subscriber {
  /** Null if the address is not a contact. */
  id: string | null;
  email: string;
  subscribed: boolean;
  snoozedUntil: Date | null;
  /** The name of the sending project. */
  sender: string;
  /** The project's language tag. */
  language: string;
}

/** Returns the contact of a link, or null if it was deleted. */
export async function findSubscriber({ prisma }: ApiContext, contactId: string): Promise<Subscriber | null> {
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

/**
 * Returns the reader of a link in an email to an address that was not a contact: the contact with this address, if there
 * is one now. Returns null if the project was deleted.
 */
export async function findAddressee(
  ctx: ApiContext,
  { projectId, address }: AddressTarget,
): Promise<Subscriber | null> {
  const contact = await contactOfAddress(ctx.pool, projectId, address);
  if (contact) return findSubscriber(ctx, contact.id);
  const project = await ctx.prisma.project.findUnique({
    where: { id: projectId },
    select: { name: true, language: true },
  });
  if (!project) return null;
  const subscribed = (await findSuppression(ctx.pool, projectId, address)) === null;
  return {
    id: null,
    email: address,
    subscribed,
    snoozedUntil: null,
    sender: project.name,
    language: project.language,
  };
}

type LinkSource = Extract<SubscriptionSource, 'page' | 'one_click'>;

const UNSUBSCRIBED: SubscriptionChange = { subscribed: false, snoozedUntil: null };

/** Unsubscribes a contact and ends its snooze. @returns the updated contact, or null if it was deleted */
export const unsubscribeByLink = (
  ctx: ApiContext,
  target: LinkTarget,
  source: LinkSource,
): Promise<Subscriber | null> => applyByLink(ctx, target, UNSUBSCRIBED, source);

/**
 * Unsubscribes the reader of an email to an address that was not a contact: the contact with this address, if there is
 * one now. Otherwise, suppresses the address in its project.
 *
 * @returns the updated reader, or null if the project was deleted
 */
export async function unsubscribeAddressByLink(
  ctx: ApiContext,
  target: AddressTarget,
  source: LinkSource,
): Promise<Subscriber | null> {
  await transaction(ctx.pool, (tx) => unsubscribeAddress(tx, target, source));
  return findAddressee(ctx, target);
}

/**
 * Unsubscribes the recipient of an email, in the caller's transaction. Does nothing if the contact was deleted, or if
 * the recipient is not a contact and the email was deleted.
 */
export async function unsubscribeByMail(
  tx: Queryable,
  { contactId, emailId }: Pick<MailedTarget, 'contactId' | 'emailId'>,
): Promise<void> {
  if (contactId !== null) return changeByReader(tx, { contactId, emailId }, UNSUBSCRIBED, 'mailto');
  const recipient = await findRecipient(tx, emailId);
  if (recipient) await unsubscribeAddress(tx, { ...recipient, emailId }, 'mailto');
}

async function unsubscribeAddress(
  tx: Queryable,
  { projectId, address, emailId }: AddressTarget,
  source: SubscriptionSource,
): Promise<void> {
  const contact = await contactOfAddress(tx, projectId, address);
  if (contact) return changeByReader(tx, { contactId: contact.id, emailId }, UNSUBSCRIBED, source);
  const isNew = await suppressReader(tx, { projectId, email: address, emailId });
  if (isNew) await storeUnsubscribe(tx, projectId, emailId);
}

/**
 * Subscribes a contact. If the link was in an email to its address, this also removes the suppression of the address after
 * a bounce or complaint.
 *
 * @returns the updated contact, or null if it was deleted
 */
export const subscribeByLink = (ctx: ApiContext, target: LinkTarget): Promise<Subscriber | null> =>
  applyByLink(ctx, target, { subscribed: true, snoozedUntil: null }, 'page');

/**
 * Unsubscribes a contact for some days (contract, section 3, "Snooze"). A contact that is already unsubscribed does not
 * change. @returns the updated contact, or null if it was deleted
 */
export const snoozeByLink = (ctx: ApiContext, target: LinkTarget, days: number): Promise<Subscriber | null> =>
  applyByLink(ctx, target, { subscribed: false, snoozedUntil: new Date(Date.now() + days * 24 * 3600 * 1000) }, 'page');

async function applyByLink(
  ctx: ApiContext,
  target: LinkTarget,
  change: SubscriptionChange,
  source: SubscriptionSource,
): Promise<Subscriber | null> {
  await transaction(ctx.pool, (tx) => changeByReader(tx, target, change, source));
  return findSubscriber(ctx, target.contactId);
}

/** Writes an event only if the subscription changes: a link that is used twice has one event. */
async function changeByReader(
  tx: Queryable,
  { contactId, emailId }: LinkTarget,
  change: SubscriptionChange,
  source: SubscriptionSource,
): Promise<void> {
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
}
