/** `PATCH /contacts/:id`. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { transaction } from '../../db/pool.js';
import { changeContact, lockContact, type ContactChange, type ChangedContact, storeFormerAddress } from './sql/rows.js';
import { insertEvents, subscriptionEvent } from '../events/insert.js';
import { conflict, notFound, validationError } from '../../errors.js';
import { isId } from '../../ids.js';
import { dataTooLarge, fitsContact, readContactData, type DataInput } from './data.js';
import type { Contact } from './get.js';
import { withTimezone } from './timezone.js';

export interface UpdateContact {
  /** Trimmed and in lower case. */
  email?: string;
  subscribed?: boolean;
  data?: DataInput;
  /** null removes it. */
  timezone?: string | null;
  /** null ends the snooze and leaves the contact unsubscribed, unless `subscribed` is true. */
  snoozedUntil?: Date | null;
}

/**
 * Updates the given fields of a contact. `updatedAt` changes only if another field changes.
 *
 * The row is locked before it is read, so only one of two concurrent subscription changes writes an event. Writing
 * `subscribed` ends a snooze. A new `snoozedUntil` unsubscribes the contact until then (contract, section 3, "Snooze").
 *
 * @throws CONTACT_NOT_FOUND (404), CONFLICT (409, another contact of the project has the address), VALIDATION_ERROR
 * (422: `data` above its limits, an unknown `timezone`, `snoozedUntil` not in the future or together with `subscribed: true`)
 */
export async function updateContact(
  { pool }: Context,
  projectId: string,
  id: string,
  { email, subscribed, data, timezone, snoozedUntil }: UpdateContact,
): Promise<Contact> {
  if (!isId(id)) throw notFound('CONTACT');
  const { set, unset } = withTimezone(readContactData(data), timezone);
  return transaction(pool, async (tx) => {
    const before = await lockContact(tx, projectId, id);
    if (!before) throw notFound('CONTACT');
    if (snoozedUntil) checkSnooze(snoozedUntil, subscribed);
    const after = {
      email: email ?? before.email,
      subscribed: snoozedUntil ? false : (subscribed ?? before.subscribed),
      snoozedUntil: snoozedUntil === undefined ? (subscribed === undefined ? before.snoozedUntil : null) : snoozedUntil,
    };
    const changed = await writeContact(tx, { projectId, id, ...after, set, unset });
    if (!changed) return before;
    if (Object.keys(set).length > 0 && !fitsContact(changed.dataKeys, changed.dataBytes)) throw dataTooLarge();
    if (after.email !== before.email) await storeFormerAddress(tx, projectId, id, before.email);
    if (after.subscribed !== before.subscribed) {
      const extra = snoozedUntil ? { snoozedUntil: snoozedUntil.toISOString() } : {};
      await insertEvents(tx, [subscriptionEvent(projectId, id, after.subscribed, 'api', extra)]);
    }
    return changed.contact;
  });
}

function checkSnooze(until: Date, subscribed: boolean | undefined): void {
  if (until.getTime() <= Date.now())
    throw validationError([
      { field: 'snoozedUntil', message: 'must be in the future', code: 'custom', received: until.toISOString() },
    ]);
  if (subscribed)
    throw validationError([
      { field: 'snoozedUntil', message: 'A snoozed contact is not subscribed: omit "subscribed"', code: 'custom' },
    ]);
}

async function writeContact(tx: PoolClient, contact: ContactChange): Promise<ChangedContact | undefined> {
  try {
    return await changeContact(tx, contact);
  } catch (error) {
    // The row is locked, so only the unique address can cause a wait. Two contacts that swap addresses cause a deadlock.
    if (['23505', '40P01'].includes(sqlState(error) ?? ''))
      throw conflict('Another contact of the project has this email address.', { cause: error });
    throw error;
  }
}
